// Tests of a dashboard's address, its access token, and its page.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "firm/error.h"
#include "live/address.h"
#include "report/page/report_page.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

// ---- address and access ------------------------------------------------------------------------

TEST(ListenAddress, AcceptsPortOrHostAndPort) {
  const auto text = [](const std::string& given) {
    const ListenAddress a = parse_listen_address("--dashboard", given);
    return url_of(a) + (a.loopback() ? " here" : " anywhere");
  };
  EXPECT_EQ(text("8080"), "http://127.0.0.1:8080/ here");
  EXPECT_EQ(text(":8080"), "http://127.0.0.1:8080/ here");
  EXPECT_EQ(text("localhost:0"), "http://localhost:0/ here");
  EXPECT_EQ(text("[::1]:80"), "http://[::1]:80/ here");
  EXPECT_CONTAINS(text("0.0.0.0:80"), ":80/ anywhere");
  EXPECT_EQ(text("0.0.0.0:80").find("0.0.0.0"), std::string::npos);  // no browser can open it
  EXPECT_EQ(text("beamline.org:80"), "http://beamline.org:80/ anywhere");
}

TEST(ListenAddress, NamesExpectedFormInErrors) {
  for (const char* given : {"", "host", "host:", "host:x", "host:70000", "host:-1", "8080x", "[::1",
                            "[::1]8080", "::1:80", "[a]b:80"}) {
    try {
      parse_listen_address("--dashboard", given);
      ADD_FAILURE() << given;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kUsage);
      EXPECT_CONTAINS(std::string(error.what()), "--dashboard: expected PORT or HOST:PORT");
    }
  }
}

TEST(Access, RequiresNameOfThisMachineOnLoopback) {
  for (const char* host :
       {"localhost", "localhost:80", "127.0.0.1:8080", "[::1]:80", "127.0.0.1", "[::1]"}) {
    EXPECT_TRUE(is_local_host(host)) << host;
  }
  for (const char* host : {"", "evil.org", "evil.org:80", "localhost.evil.org", "127.evil.org:80",
                           "127.0.0.1.evil.org", "0.0.0.0:80"}) {
    EXPECT_FALSE(is_local_host(host)) << host;
  }
}

TEST(Access, RequiresExactToken) {
  const std::string token = new_token();
  EXPECT_EQ(token.size(), 32u);
  EXPECT_NE(token, new_token());
  EXPECT_TRUE(has_token("Bearer " + token, token));
  const std::vector<std::string> others = {"",
                                           token,
                                           "Bearer ",
                                           "Bearer " + token + "0",
                                           "Bearer " + std::string(32, '0'),
                                           "bearer " + token};
  for (const std::string& other : others) {
    EXPECT_FALSE(has_token(other, token)) << other;
  }
}

// ---- the page ----------------------------------------------------------------------------------

TEST(LivePage, ConnectsOnlyToItsOwnServer) {
  const std::string page = live_page();
  EXPECT_CONTAINS(page, "connect-src 'self'");
  EXPECT_EQ(page.find("connect-src 'none'"), std::string::npos);
  EXPECT_EQ(document_in_page(page), R"({"firm":"live"})");
}

TEST(ReportPage, HoldsItsDocument) {
  const std::string json = R"({"text":"</script><b>"})";
  EXPECT_EQ(Json::parse(document_in_page(report_page(json))), Json::parse(json));
  EXPECT_EQ(document_in_page("something else"), "");
}

}  // namespace
}  // namespace firm
