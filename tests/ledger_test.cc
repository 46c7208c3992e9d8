#include "federation/ledger.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "temporary_directory.h"

namespace firm {
namespace {

v1::SiteMessage share_of(std::size_t bytes) {
  v1::SiteMessage message;
  v1::Share& share = *message.mutable_share();
  share.mutable_position()->set_attempt(2);
  share.mutable_position()->set_exchange(7);
  share.set_length(bytes / 4);
  for (std::size_t k = 0; k < bytes; ++k) *share.mutable_words() += static_cast<char>(k * k);
  share.set_last(true);
  share.set_scalars("scalars");
  return message;
}

v1::SiteMessage hello() {
  v1::SiteMessage message;
  message.mutable_hello()->set_site("a");
  for (int k = 0; k < 300; ++k) message.mutable_hello()->mutable_geometry()->add_angles(0.1 * k);
  return message;
}

// Whatever the size of a message, long fields of which are hashed in place.
TEST(Ledger, HasTheHashOfTheBytesThatAreSent) {
  const TemporaryDirectory directory;
  for (const v1::SiteMessage& message :
       {hello(), share_of(0), share_of(8), share_of(1000), share_of(1024), share_of(200'000)}) {
    const std::string path = directory / "ledger";
    std::filesystem::remove(path);
    Ledger(path).record(message);
    const auto line = nlohmann::json::parse(file_content(path));
    const std::string bytes = message.SerializeAsString();
    Sha256 hash;
    hash.add(bytes);
    EXPECT_EQ(line.at("sha256"), hash.finish()) << bytes.size();
    EXPECT_EQ(line.at("bytes"), bytes.size());
    EXPECT_EQ(line.at("kind"), message.has_hello() ? "hello" : "share");
    EXPECT_EQ(line.at("exchange"), message.has_hello() ? 0 : 7);
  }
}

}  // namespace
}  // namespace firm
