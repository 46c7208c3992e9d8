#include "check/port_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "core/host_port.h"

namespace firm {
namespace {

class Socket {
 public:
  explicit Socket(int value) : value_(value) {}
  ~Socket() {
    if (value_ >= 0) ::close(value_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int get() const { return value_; }

 private:
  int value_;
};

// 0, or an errno.
int connect_within(const addrinfo& to, double seconds) {
  const Socket socket(::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return errno;
  if (::connect(socket.get(), to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd waiting{socket.get(), POLLOUT, 0};
  if (::poll(&waiting, 1, static_cast<int>(1000 * seconds)) != 1) return ETIMEDOUT;
  int code = 0;
  socklen_t size = sizeof(code);
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &size);
  return code;
}

int listen_at(const addrinfo& at) {
  const Socket socket(::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  // As servers do: connections of an earlier one that linger are no obstacle.
  if (socket.get() < 0 ||
      ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      ::bind(socket.get(), at.ai_addr, at.ai_addrlen) != 0 || ::listen(socket.get(), 1) != 0) {
    return errno;
  }
  return 0;
}

bool is_loopback(const addrinfo& a) {
  if (a.ai_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(a.ai_addr)->sin6_addr);
  }
  constexpr std::uint32_t kNetwork = 127;
  const auto* in = reinterpret_cast<const sockaddr_in*>(a.ai_addr);
  return ntohl(in->sin_addr.s_addr) >> 24 == kNetwork;
}

std::string fix_of_connect(int code, const HostPort& to) {
  if (code == ECONNREFUSED) {
    return fmt::format("is the coordinator running, and is {} its port?", to.port);
  }
  if (code == ETIMEDOUT) {
    return fmt::format("a firewall: this machine needs outbound TCP to {}, port {}", to.host,
                       to.port);
  }
  return "the route from here to there: ask the network team of the facility";
}

std::string fix_of_listen(int code) {
  if (code == EADDRINUSE) return "another port, or end what listens there (ss -tlnp tells)";
  if (code == EADDRNOTAVAIL) return "an address of this machine, or 0.0.0.0 for all of them";
  if (code == EACCES) return "a port from 1024 on";
  return "an address of this machine (ip addr tells)";
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const HostPort& at, bool passive, int& code) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = passive ? AI_PASSIVE : 0;
  addrinfo* found = nullptr;
  code = ::getaddrinfo(at.host.c_str(), std::to_string(at.port).c_str(), &hints, &found);
  return {found, freeaddrinfo};
}

// attempt(address) is 0 or an errno; the first address that works is enough.
template <typename Attempt, typename Fix>
TcpOutcome try_all(const std::string& address, bool passive, const char* expected,
                   const Attempt& attempt, const Fix& fix) {
  const std::optional<HostPort> at = parse_host_port(address);
  if (!at || at->host.empty()) {
    return {fmt::format("expected HOST:PORT, found '{}'", address),
            "for example recon.example.org:7443, 192.0.2.7:7443 or [2001:db8::7]:7443", false};
  }
  int code = 0;
  const Addresses all = resolve(*at, passive, code);
  if (!all) {
    return {fmt::format("{}: expected the name or address of a host, found {}", address,
                        ::gai_strerror(code)),
            "the name (getent hosts NAME tells what the system knows), or the address", false};
  }
  for (const addrinfo* a = all.get(); a != nullptr; a = a->ai_next) {
    code = attempt(*a);
    if (code == 0) return {"", "", is_loopback(*a)};
  }
  return {fmt::format("{}: expected {}, found: {}", address, expected, std::strerror(code)),
          fix(code, *at), false};
}

}  // namespace

TcpOutcome try_to_connect(const std::string& address, double seconds) {
  return try_all(
      address, false, "a coordinator",
      [&](const addrinfo& a) { return connect_within(a, seconds); }, fix_of_connect);
}

TcpOutcome try_to_listen(const std::string& address) {
  return try_all(address, true, "an address to listen on", listen_at,
                 [](int code, const HostPort&) { return fix_of_listen(code); });
}

}  // namespace firm
