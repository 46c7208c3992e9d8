// The gate in front of gRPC: addresses, who gives way to whom, deadlines, and a port that is always
// answered.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "federation/gate/connection_gate.h"
#include "federation/protocol/event_limit.h"
#include "firm/error.h"
#include "support/loopback.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace firm {
namespace {

constexpr double kPatience = 20;  // seconds

PeerAddress address(const std::string& text) { return PeerAddress::parse(text).value(); }

TEST(PeerAddress, ParsesAddressesOfGrpc) {
  EXPECT_EQ(address("ipv4:10.1.2.3:4000").host(), "10.1.2.3");
  EXPECT_EQ(address("ipv4:10.1.2.3:4000").port, 4000);
  EXPECT_EQ(address("ipv6:%5B2001:db8::1%5D:4000").host(), "2001:db8::1");
  EXPECT_EQ(address("ipv6:[fe80::1%252]:80"), address("ipv6:%5Bfe80::1%5D:80"));
  EXPECT_EQ(address("ipv6:%5B::ffff:10.1.2.3%5D:4000"), address("ipv4:10.1.2.3:4000"));
  for (const char* other : {"", "unix:/tmp/x", "ipv4:10.1.2.3", "ipv4:host:80", "ipv6:%5B::1:80"}) {
    EXPECT_FALSE(PeerAddress::parse(other)) << other;
  }
  EXPECT_EQ(address("ipv6:[2001:db8::1]:1").network(), address("ipv6:[2001:db8::2:3]:4").network());
  EXPECT_NE(address("ipv4:10.1.2.3:1").network(), address("ipv4:10.1.2.4:1").network());
}

// ---- lobby -------------------------------------------------------------------------------------

Visitor visitor(const std::string& host, int port, bool in_handshake) {
  return {address("ipv4:" + host + ":" + std::to_string(port)), {}, {}, in_handshake};
}

TEST(Lobby, DisplacesOldestSilentConnectionOfSameAddress) {
  Lobby lobby({.all = 100, .of_one_address = 3, .handshakes = 50, .handshakes_of_one_address = 3});
  lobby.visitors() = {visitor("10.0.0.1", 1, true), visitor("10.0.0.2", 2, false),
                      visitor("10.0.0.1", 3, false)};
  const PeerAddress from = address("ipv4:10.0.0.1:9");
  EXPECT_EQ(lobby.displaced_by_connection(from), lobby.visitors().end());
  lobby.visitors().push_back(visitor("10.0.0.1", 4, false));
  EXPECT_EQ(lobby.displaced_by_connection(from)->from.port, 3);
  EXPECT_EQ(lobby.displaced_by_connection(address("ipv4:10.0.0.2:9")), lobby.visitors().end());
}

// Whoever fills the lobby pays for it, not a site that comes or is in its handshake.
TEST(Lobby, DisplacesAddressWithMostConnections) {
  Lobby lobby({.all = 5, .of_one_address = 4, .handshakes = 3, .handshakes_of_one_address = 3});
  lobby.visitors() = {visitor("10.0.0.9", 1, true), visitor("10.0.0.1", 2, true),
                      visitor("10.0.0.1", 3, true), visitor("10.0.0.1", 4, false),
                      visitor("10.0.0.8", 5, false)};
  const PeerAddress from = address("ipv4:10.0.0.7:9");
  EXPECT_EQ(lobby.displaced_by_connection(from)->from.port, 4);
  EXPECT_EQ(lobby.displaced_by_handshake(from)->from.port, 2);
  EXPECT_EQ(lobby.least_worth()->from.port, 4);
}

// An attacker with many addresses has one connection from each, as a site has.
TEST(Lobby, DisplacesOldestOfManyAddresses) {
  Lobby lobby({.all = 3, .of_one_address = 3, .handshakes = 3, .handshakes_of_one_address = 3});
  lobby.visitors() = {visitor("10.0.0.5", 1, false), visitor("10.0.0.6", 2, false),
                      visitor("10.0.0.1", 3, true)};
  const PeerAddress from = address("ipv4:10.0.0.7:9");
  EXPECT_EQ(lobby.displaced_by_connection(from)->from.port, 1);
  EXPECT_EQ(lobby.least_worth()->from.port, 1);
  lobby.visitors() = {visitor("10.0.0.5", 1, true), visitor("10.0.0.6", 2, true),
                      visitor("10.0.0.1", 3, true)};
  EXPECT_EQ(lobby.displaced_by_connection(from)->from.port, 1);
  EXPECT_EQ(lobby.displaced_by_handshake(from)->from.port, 1);
}

// A site in its handshake stays beside any number of silent connections.
TEST(Lobby, DisplacesSilentConnectionBeforeHandshakeOfAnyAddress) {
  Lobby lobby({.all = 4, .of_one_address = 4, .handshakes = 4, .handshakes_of_one_address = 4});
  lobby.visitors() = {visitor("10.0.0.1", 1, true), visitor("10.0.0.1", 2, true),
                      visitor("10.0.0.5", 3, false), visitor("10.0.0.6", 4, false)};
  EXPECT_EQ(lobby.displaced_by_connection(address("ipv4:10.0.0.7:9"))->from.port, 3);
  EXPECT_EQ(lobby.least_worth()->from.port, 3);
}

TEST(Lobby, ShrinksWithDescriptors) {
  EXPECT_EQ(LobbyLimits::within(100000).all, LobbyLimits{}.all);
  EXPECT_EQ(LobbyLimits::within(512).all, LobbyLimits{}.all / 2);
  EXPECT_GE(LobbyLimits::within(1).of_one_address, 1u);
}

TEST(EventLimit, LeavesOutMostOfMany) {
  EventLimit limit(3, std::chrono::seconds(10));
  const auto start = EventLimit::Clock::now();
  int passed = 0;
  for (int k = 0; k < 100; ++k) passed += limit.pass(start).has_value() ? 1 : 0;
  EXPECT_EQ(passed, 3);
  EXPECT_FALSE(limit.pass(start + std::chrono::seconds(9)));
  EXPECT_EQ(limit.pass(start + std::chrono::seconds(10)), 98u);
  EXPECT_FALSE(limit.pass(start + std::chrono::seconds(11)));
  EXPECT_EQ(limit.pass(start + std::chrono::hours(1)), 1u);
  EXPECT_EQ(limit.pass(start + std::chrono::hours(1)), 0u);
}

// ---- gate --------------------------------------------------------------------------------------

// A connection to the gate, from 127.0.0.`host`.
class Client {
 public:
  explicit Client(int port, unsigned host = 1) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (host != 1) bind_to_loopback(socket_.get(), host);
    const sockaddr_in to = loopback(port);
    connected_ = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0;
  }
  bool connected() const { return connected_; }
  void say_something() const { ::send(socket_.get(), "x", 1, MSG_NOSIGNAL); }
  // Returns how many bytes have left.
  std::size_t say(const std::string& text) const {
    const auto sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
  }
  // Whether the other end has hung up.
  bool closed() const {
    char byte = 0;
    const auto got = ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
  }
  PeerAddress own_address() const {
    sockaddr_storage own{};
    socklen_t length = sizeof(own);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&own), &length);
    return PeerAddress::of(own).value();
  }

 private:
  FileDescriptor socket_;
  bool connected_ = false;
};

class Gate : public ::testing::Test {
 protected:
  void start(GateOptions options) {
    options.address = "127.0.0.1:0";
    gate_ = std::make_unique<ConnectionGate>(options, [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_ += line + "\n";
    });
    gate_->start([this](int socket) {
      const std::lock_guard lock(mutex_);
      handed_over_.emplace_back(socket);
    });
  }
  void TearDown() override {
    if (gate_) gate_->stop();
  }

  std::size_t handed_over() {
    const std::lock_guard lock(mutex_);
    return handed_over_.size();
  }
  bool has_logged(const std::string& part) {
    return wait_until(kPatience, [&] {
      const std::lock_guard lock(mutex_);
      return log_.find(part) != std::string::npos;
    });
  }
  std::size_t closed(const std::vector<std::unique_ptr<Client>>& clients) {
    return static_cast<std::size_t>(
        std::ranges::count_if(clients, [](const auto& client) { return client->closed(); }));
  }

  static constexpr std::size_t kFlood = std::size_t{1} << 28;  // bytes
  // Sends as much, unless the gate ends the connection, and reads it from the `number`-th socket
  // that was handed over: as messages, if there is a ticket. Returns how much was read.
  std::size_t pump(const Client& client, std::size_t number, ConnectionGate::Ticket ticket) {
    const std::string chunk(1 << 16, 'x');
    std::string part(chunk.size(), ' ');
    std::size_t sent = 0;
    std::size_t read = 0;
    while (read < kFlood && !client.closed()) {
      if (sent < kFlood) sent += client.say(chunk.substr(0, std::min(chunk.size(), kFlood - sent)));
      const auto got =
          ::recv(handed_over_.at(number).get(), part.data(), part.size(), MSG_DONTWAIT);
      if (got <= 0) continue;
      read += static_cast<std::size_t>(got);
      if (ticket != 0) gate_->took(ticket, static_cast<std::uint64_t>(got));
    }
    return read;
  }

  std::mutex mutex_;
  std::string log_;
  std::vector<FileDescriptor> handed_over_;
  std::unique_ptr<ConnectionGate> gate_;
};

TEST_F(Gate, NewestConnectionGetsThroughBesideManySilentOnes) {
  GateOptions options;
  options.limits = {
      .all = 20, .of_one_address = 10, .handshakes = 8, .handshakes_of_one_address = 4};
  start(options);
  std::vector<std::unique_ptr<Client>> silent;
  for (int k = 0; k < 60; ++k) silent.push_back(std::make_unique<Client>(gate_->port()));
  EXPECT_TRUE(wait_until(kPatience, [&] { return closed(silent) == 50; })) << closed(silent);
  EXPECT_EQ(handed_over(), 0u);
  const Client site(gate_->port());
  site.say_something();
  EXPECT_TRUE(wait_until(kPatience, [&] { return handed_over() == 1; }));
  EXPECT_FALSE(site.closed());
  EXPECT_TRUE(has_logged("from 127.0.0.1: ")) << log_;
}

// A socket that gRPC has is ended, too, and its number may be another's by then.
TEST_F(Gate, EndsHandshakesThatTakeTooLong) {
  GateOptions options;
  options.handshake_seconds = 0.5;
  start(options);
  const Client silent(gate_->port());
  const Client half_open(gate_->port());
  half_open.say_something();
  const Client site(gate_->port());
  site.say_something();
  ASSERT_TRUE(wait_until(kPatience, [&] { return handed_over() == 2; }));
  const ConnectionGate::Ticket ticket = gate_->begin_stream(site.own_address());
  ASSERT_NE(ticket, 0u);
  EXPECT_TRUE(gate_->admit(ticket));
  EXPECT_TRUE(wait_until(kPatience, [&] { return silent.closed() && half_open.closed(); }));
  EXPECT_TRUE(has_logged("after 0.5 s")) << log_;
  EXPECT_FALSE(site.closed());
  EXPECT_EQ(gate_->begin_stream(half_open.own_address()), 0u);
  gate_->end_stream(ticket);  // it has half a second for another stream
  EXPECT_TRUE(wait_until(kPatience, [&] { return site.closed(); }));
}

// gRPC has a thread for each stream, and a peer may begin many before it reads that one is allowed.
TEST_F(Gate, EndsConnectionWithTwoStreamsAtOnce) {
  start({});
  const Client stranger(gate_->port());
  stranger.say_something();
  ASSERT_TRUE(wait_until(kPatience, [&] { return handed_over() == 1; }));
  EXPECT_NE(gate_->begin_stream(stranger.own_address()), 0u);
  EXPECT_FALSE(stranger.closed());
  EXPECT_EQ(gate_->begin_stream(stranger.own_address()), 0u);
  EXPECT_TRUE(wait_until(kPatience, [&] { return stranger.closed(); }));
}

TEST_F(Gate, EndsAdmittedConnectionWithTwoStreamsAtOnce) {
  start({});
  const Client site(gate_->port());
  site.say_something();
  ASSERT_TRUE(wait_until(kPatience, [&] { return handed_over() == 1; }));
  const ConnectionGate::Ticket ticket = gate_->begin_stream(site.own_address());
  ASSERT_TRUE(gate_->admit(ticket));
  EXPECT_EQ(gate_->begin_stream(site.own_address()), 0u);
  EXPECT_TRUE(wait_until(kPatience, [&] { return site.closed(); }));
  gate_->end_stream(ticket);
}

// A peer may also cancel each stream before it begins the next.
TEST_F(Gate, EndsConnectionWithManyStreams) {
  start({});
  const Client site(gate_->port());
  site.say_something();
  ASSERT_TRUE(wait_until(kPatience, [&] { return handed_over() == 1; }));
  constexpr int kMany = 100;
  int begun = 0;
  while (begun < kMany) {
    const ConnectionGate::Ticket ticket = gate_->begin_stream(site.own_address());
    if (ticket == 0) break;
    ++begun;
    EXPECT_TRUE(gate_->admit(ticket));
    gate_->end_stream(ticket);
  }
  EXPECT_GT(begun, 1);
  EXPECT_LT(begun, kMany);
  EXPECT_TRUE(wait_until(kPatience, [&] { return site.closed(); }));
}

// gRPC keeps, for example, headers that never end.
TEST_F(Gate, EndsConnectionsThatSendFarMoreThanMessages) {
  start({});
  const Client stranger(gate_->port());
  stranger.say_something();
  ASSERT_TRUE(wait_until(kPatience, [&] { return handed_over() == 1; }));
  EXPECT_LT(pump(stranger, 0, 0), kFlood);
  EXPECT_TRUE(wait_until(kPatience, [&] { return stranger.closed(); }));

  const Client site(gate_->port());
  site.say_something();
  ASSERT_TRUE(wait_until(kPatience, [&] { return handed_over() == 2; }));
  const ConnectionGate::Ticket ticket = gate_->begin_stream(site.own_address());
  ASSERT_TRUE(gate_->admit(ticket));
  EXPECT_GE(pump(site, 1, ticket), kFlood);
  EXPECT_LT(pump(site, 1, 0), kFlood);
  EXPECT_TRUE(wait_until(kPatience, [&] { return site.closed(); }));
  EXPECT_TRUE(has_logged("1 that sent far more than messages")) << log_;
}

TEST_F(Gate, NamesHostsInHandshakeNewestFirst) {
  start({});
  std::vector<std::unique_ptr<Client>> clients;
  for (const unsigned host : {9u, 3u, 7u, 3u}) {
    clients.push_back(std::make_unique<Client>(gate_->port(), host));
    clients.back()->say_something();
    ASSERT_TRUE(wait_until(kPatience, [&] { return handed_over() == clients.size(); }));
  }
  const std::vector<std::string> expected = {"127.0.0.3", "127.0.0.7", "127.0.0.9"};
  EXPECT_EQ(gate_->hosts_in_handshake(), expected);
}

TEST_F(Gate, LimitsHandshakes) {
  GateOptions options;
  options.limits = {
      .all = 100, .of_one_address = 100, .handshakes = 8, .handshakes_of_one_address = 8};
  start(options);
  std::vector<std::unique_ptr<Client>> half_open;
  for (std::size_t k = 0; k < 40; ++k) {
    half_open.push_back(std::make_unique<Client>(gate_->port()));
    half_open.back()->say_something();
    ASSERT_TRUE(wait_until(kPatience, [&] { return handed_over() == k + 1; }));
  }
  EXPECT_TRUE(wait_until(kPatience, [&] { return closed(half_open) == 32; }));
  EXPECT_FALSE(half_open.back()->closed());
}

// Finds the socket of this process that listens on the port.
int listener_on(int port) {
  for (int number = 3; number < 1024; ++number) {
    int listens = 0;
    socklen_t size = sizeof(listens);
    sockaddr_storage own{};
    socklen_t length = sizeof(own);
    if (::getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens == 1 &&
        ::getsockname(number, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
        PeerAddress::of(own).value_or(PeerAddress{}).port == port) {
      return number;
    }
  }
  return -1;
}

TEST_F(Gate, ListensAgainWhenItsPortIsNotAnswered) {
  GateOptions options;
  options.watch_seconds = 0.1;
  start(options);
  ASSERT_TRUE(Client(gate_->port()).connected());
  const int listener = listener_on(gate_->port());
  ASSERT_GE(listener, 0);
  ::shutdown(listener, SHUT_RDWR);
  EXPECT_FALSE(Client(gate_->port()).connected());
  EXPECT_TRUE(wait_until(kPatience, [&] { return Client(gate_->port()).connected(); }));
  EXPECT_TRUE(has_logged("did not answer: listening on it again")) << log_;
}

// A socket may listen on all addresses of IPv6 on a machine that has IPv4 alone.
TEST(PortWatch, AlsoDialsIpv4WhereItListensOnAllAddresses) {
  const ListeningSockets all = listen_on("0.0.0.0", 0);
  const PortWatch::Way last = PortWatch::ways_to(all.all.front().get()).back();
  EXPECT_EQ(PeerAddress::of(last.to), address(fmt::format("ipv4:127.0.0.1:{}", all.port)));
  const FileDescriptor socket(::socket(last.to.ss_family, SOCK_STREAM, 0));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&last.to), last.length), 0);
  const ListeningSockets one = listen_on("127.0.0.1", 0);
  EXPECT_EQ(PortWatch::ways_to(one.all.front().get()).size(), 1u);
}

TEST_F(Gate, ListensOnIpv6AndOnAllAddresses) {
  for (const char* at : {"[::1]:0", "0.0.0.0:0", "localhost:0"}) {
    std::unique_ptr<ConnectionGate> gate;
    try {
      gate = std::make_unique<ConnectionGate>(GateOptions{.address = at}, [](const auto&) {});
    } catch (const Error&) {
      EXPECT_STREQ(at, "[::1]:0") << "only IPv6 may be missing";
      continue;
    }
    EXPECT_GT(gate->port(), 0) << at;
    const bool has_four = at != std::string("[::1]:0");
    EXPECT_EQ(Client(gate->port()).connected(), has_four) << at;
  }
}

TEST_F(Gate, RefusesAddressInUse) {
  start({});
  const std::string taken = "127.0.0.1:" + std::to_string(gate_->port());
  try {
    ConnectionGate second({.address = taken}, [](const auto&) {});
    ADD_FAILURE() << "listens twice";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kNetwork);
    EXPECT_CONTAINS(std::string(error.what()), taken + ": expected an address to listen on");
  }
}

}  // namespace
}  // namespace firm
