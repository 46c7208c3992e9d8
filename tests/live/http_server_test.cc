// The HTTP server of a dashboard beside clients that are slow, silent or hostile.
#include "live/http_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>

#include "core/timing.h"
#include "live/server.h"
#include "support/loopback.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace firm {
namespace {

constexpr double kPatience = 20;  // seconds

TEST(HttpMessage, ParsesRequests) {
  const std::string head =
      "GET /api/document?x=1 HTTP/1.1\r\nHost: localhost:80\r\nAUTHORIZATION:  Bearer x \r\n\r\n";
  EXPECT_EQ(head_length(head + "body"), head.size());
  EXPECT_FALSE(head_length(head.substr(0, head.size() - 1)));
  const auto request = parse_head(head);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->path, "/api/document");
  EXPECT_EQ(request->header("host"), "localhost:80");
  EXPECT_EQ(request->header("authorization"), "Bearer x");
  EXPECT_EQ(request->header("cookie"), "");
  for (const char* other : {"", "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET x HTTP/1.1",
                            "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET  HTTP/1.1\r\n\r\n"}) {
    EXPECT_FALSE(parse_head(other)) << other;
  }
}

// A connection that sends some bytes and then neither reads nor writes.
class Stalled {
 public:
  Stalled(int port, const std::string& bytes) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int small = 4096;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    const sockaddr_in to = loopback(port);
    ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to));
    ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  bool closed() const {
    char bytes[4096];
    for (;;) {
      const auto got = ::recv(socket_.get(), bytes, sizeof(bytes), MSG_DONTWAIT);
      if (got <= 0) return got == 0 || errno != EAGAIN;
    }
  }

 private:
  FileDescriptor socket_;
};

// Events without end.
class ManyEvents : public EventStream {
 public:
  Events next() override { return {"event: status\ndata: " + std::string(100000, 'x') + "\n\n"}; }
};

ServerSource source() {
  ServerSource source;
  source.document = [] { return std::string(1 << 20, ' ') + "{}"; };
  source.images = [] { return std::string(); };
  source.metrics = [] { return std::string("firm_round 1\n"); };
  source.control = [](const std::string& command) { return command == "pause"; };
  source.events = [] { return std::make_unique<ManyEvents>(); };
  return source;
}

class HttpServerTest : public ::testing::Test {
 protected:
  int port() const { return server_.address().port; }
  double seconds_for(const std::string& path) const {
    const Stopwatch watch;
    httplib::Client client(fmt::format("http://127.0.0.1:{}", port()));
    client.set_read_timeout(60);
    const httplib::Result result = client.Get(path);
    EXPECT_TRUE(result && result->status == 200) << path;
    return watch.seconds();
  }

  const Server server_{{"127.0.0.1", 0}, source()};
};

TEST_F(HttpServerTest, AnswersBesideClientsThatStall) {
  std::vector<std::unique_ptr<Stalled>> clients;
  for (int k = 0; k < 60; ++k) {
    clients.push_back(std::make_unique<Stalled>(port(), "GET /metrics HTTP/1.1\r\nHost: local"));
  }
  for (int k = 0; k < 40; ++k) {
    clients.push_back(
        std::make_unique<Stalled>(port(), "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  }
  for (int k = 0; k < 20; ++k) {
    clients.push_back(
        std::make_unique<Stalled>(port(), "GET /api/document HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  }
  double most = 0;
  for (const char* path : {"/metrics", "/", "/api/document", "/metrics"}) {
    most = std::max(most, seconds_for(path));
  }
  fmt::print("slowest answer: {:.3f} s\n", most);
  EXPECT_LT(most, 4);  // a thread per client would take 5 at least
}

TEST_F(HttpServerTest, ClosesUnfinishedRequests) {
  const Stalled unfinished(port(), "GET /metrics HTTP/1.1\r\n");
  const Stalled endless(port(), std::string(100000, 'x'));
  EXPECT_TRUE(wait_until(kPatience, [&] { return endless.closed(); }));
  EXPECT_TRUE(wait_until(kPatience, [&] { return unfinished.closed(); }));
}

TEST_F(HttpServerTest, NewClientsGetThroughBesideTooMany) {
  std::vector<std::unique_ptr<Stalled>> clients;
  for (int k = 0; k < 400; ++k) clients.push_back(std::make_unique<Stalled>(port(), "GET "));
  EXPECT_LT(seconds_for("/metrics"), 4);
}

TEST_F(HttpServerTest, AnswersRequests) {
  httplib::Client client(fmt::format("http://127.0.0.1:{}", port()));
  EXPECT_EQ(client.Get("/api/images")->status, 204);
  EXPECT_EQ(client.Get("/nothing")->status, 404);
  EXPECT_EQ(client.Get("/api/document")->body.size(), (1u << 20) + 2);
  EXPECT_EQ(client.Head("/metrics")->status, 200);
  EXPECT_EQ(client.Get("/metrics")->body, "firm_round 1\n");
  EXPECT_EQ(client.Get("/metrics")->get_header_value("X-Frame-Options"), "DENY");
  const std::string token = server_.url().substr(server_.url().find('=') + 1);
  const httplib::Headers headers = {{"Authorization", "Bearer " + token}};
  EXPECT_EQ(client.Post("/api/pause", headers, "a body", "text/plain")->status, 200);
  EXPECT_EQ(client.Post("/api/stop", headers, "", "text/plain")->status, 409);
  EXPECT_EQ(client.Post("/api/pause")->status, 401);
  EXPECT_EQ(client.Delete("/api/document", headers)->status, 404);
}

}  // namespace
}  // namespace firm
