// TcpProxy, with real sockets.
#include "support/tcp_proxy.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "support/loopback.h"

namespace firm {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Socket {
 public:
  explicit Socket(int value) : value_(value) {
    const timeval limit{20, 0};
    ::setsockopt(value_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  ~Socket() { ::close(value_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int get() const { return value_; }
  void send(const std::string& text) const {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t n = ::send(value_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      ASSERT_GT(n, 0);
      sent += static_cast<std::size_t>(n);
    }
  }
  // Returns `bytes` bytes, or fewer when the connection ends.
  std::string receive(std::size_t bytes) const {
    std::string text(bytes, '\0');
    std::size_t received = 0;
    while (received < bytes) {
      const ssize_t n = ::recv(value_, text.data() + received, bytes - received, 0);
      if (n <= 0) break;
      received += static_cast<std::size_t>(n);
    }
    text.resize(received);
    return text;
  }
  // Nothing arrives within 100 ms, not even the end.
  bool silent() const {
    pollfd one{value_, POLLIN, 0};
    return ::poll(&one, 1, 100) == 0;
  }

 private:
  int value_;
};

class TcpProxyTest : public ::testing::Test {
 protected:
  TcpProxyTest() : server_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(server_.get(), generic, size), 0);
    EXPECT_EQ(::listen(server_.get(), 8), 0);
    EXPECT_EQ(::getsockname(server_.get(), generic, &size), 0);
    proxy_.forward_to(ntohs(address.sin_port));
  }

  // Returns 0 unless the connection is refused.
  int connect(const Socket& socket) const {
    const sockaddr_in address = loopback(proxy_.port());
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }
  static int new_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }
  int accept() const { return ::accept4(server_.get(), nullptr, nullptr, SOCK_CLOEXEC); }

  Socket server_;
  TcpProxy proxy_;
};

TEST_F(TcpProxyTest, PassesBytesAndEndBothWays) {
  const Socket client(new_socket());
  ASSERT_EQ(connect(client), 0);
  const Socket server(accept());
  client.send("question");
  EXPECT_EQ(server.receive(8), "question");
  server.send("answer");
  ::shutdown(server.get(), SHUT_WR);
  EXPECT_EQ(client.receive(100), "answer");
  // The direction up is still open.
  client.send("more");
  EXPECT_EQ(server.receive(4), "more");
  EXPECT_EQ(proxy_.bytes(TcpProxy::kUp), 12u);
  EXPECT_EQ(proxy_.bytes(TcpProxy::kDown), 6u);
}

TEST_F(TcpProxyTest, DelayKeepsOrderAndThroughput) {
  const Socket client(new_socket());
  ASSERT_EQ(connect(client), 0);
  const Socket server(accept());
  proxy_.delay(150);
  std::string sent;
  for (int k = 0; sent.size() < 8'000'000; ++k) sent += std::to_string(k) + " ";
  const auto start = Clock::now();
  std::thread sender([&] { client.send(sent); });
  EXPECT_EQ(server.receive(1), sent.substr(0, 1));
  EXPECT_GE(seconds_since(start), 0.15);
  EXPECT_EQ(server.receive(sent.size() - 1), sent.substr(1));
  // Delaying each piece after the one before would take half a minute.
  EXPECT_LT(seconds_since(start), 10);
  sender.join();
  proxy_.delay(0);
  server.send("x");
  EXPECT_EQ(client.receive(1), "x");
}

TEST_F(TcpProxyTest, HoldsBytesWhileStalled) {
  const Socket client(new_socket());
  ASSERT_EQ(connect(client), 0);
  const Socket server(accept());
  proxy_.stall();
  EXPECT_TRUE(proxy_.stalled());
  client.send("late");
  const Socket second(new_socket());
  ASSERT_EQ(connect(second), 0);
  second.send("later");
  ::shutdown(client.get(), SHUT_WR);
  EXPECT_TRUE(server.silent());
  EXPECT_TRUE(second.silent());
  proxy_.resume();
  EXPECT_EQ(server.receive(100), "late");
  const Socket other(accept());
  EXPECT_EQ(other.receive(5), "later");
}

TEST_F(TcpProxyTest, StallsOneWayOnly) {
  const Socket client(new_socket());
  ASSERT_EQ(connect(client), 0);
  const Socket server(accept());
  proxy_.stall(TcpProxy::kDown);
  client.send("question");
  EXPECT_EQ(server.receive(8), "question");
  server.send("answer");
  EXPECT_TRUE(client.silent());
  proxy_.resume();
  EXPECT_EQ(client.receive(6), "answer");
}

TEST_F(TcpProxyTest, StallsAfterGivenBytes) {
  const Socket client(new_socket());
  ASSERT_EQ(connect(client), 0);
  const Socket server(accept());
  proxy_.stall_after(TcpProxy::kUp, 5);
  client.send("0123456789");
  EXPECT_EQ(server.receive(5), "01234");
  EXPECT_TRUE(server.silent());
  EXPECT_TRUE(proxy_.stalled());
  server.send("x");
  EXPECT_TRUE(client.silent());
  proxy_.resume();
  EXPECT_EQ(server.receive(5), "56789");
  EXPECT_EQ(client.receive(1), "x");
}

TEST_F(TcpProxyTest, CutsAndRefusesConnections) {
  const Socket client(new_socket());
  ASSERT_EQ(connect(client), 0);
  const Socket server(accept());
  proxy_.cut();
  EXPECT_EQ(client.receive(1), "");
  EXPECT_EQ(server.receive(1), "");
  proxy_.refuse();
  EXPECT_NE(connect(Socket(new_socket())), 0);
  proxy_.accept_again();
  const Socket again(new_socket());
  ASSERT_EQ(connect(again), 0);
  again.send("x");
  EXPECT_EQ(Socket(accept()).receive(1), "x");
}

TEST_F(TcpProxyTest, ClosesConnectionWithoutServer) {
  const Socket closed(new_socket());
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(closed.get(), generic, size), 0);  // bound, but nobody listens
  ASSERT_EQ(::getsockname(closed.get(), generic, &size), 0);
  proxy_.forward_to(ntohs(address.sin_port));
  const Socket client(new_socket());
  ASSERT_EQ(connect(client), 0);
  EXPECT_EQ(client.receive(1), "");
}

}  // namespace
}  // namespace firm
