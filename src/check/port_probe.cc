#include "check/port_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "core/file_descriptor.h"
#include "core/host_port.h"

namespace firm {
namespace {

// Return 0 or an errno.
int connect_within(const addrinfo& to, double seconds) {
  const FileDescriptor socket(
      ::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.ok()) return errno;
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
  const FileDescriptor socket(::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  // Servers set this, too: lingering connections of an earlier server do not matter.
  if (!socket.ok() ||
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

std::string fix_connect(int code, const HostPort& to) {
  if (code == ECONNREFUSED) {
    return fmt::format("check that the coordinator is running and that {} is its port", to.port);
  }
  if (code == ETIMEDOUT) {
    return fmt::format("check the firewall: this machine needs outbound TCP to {}, port {}",
                       to.host, to.port);
  }
  return "check the network route: ask the network team of the facility";
}

std::string fix_listen(int code) {
  if (code == EADDRINUSE)
    return "use another port, or stop the program that listens there (ss -tlnp shows it)";
  if (code == EADDRNOTAVAIL) return "use an address of this machine, or 0.0.0.0 for all of them";
  if (code == EACCES) return "use port 1024 or above";
  return "use an address of this machine (ip addr lists them)";
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

// Tries `attempt`, which returns 0 or an errno, on each address until one works.
template <typename Attempt, typename Fix>
PortProbe probe_all(const std::string& address, bool passive, const char* expected,
                    const Attempt& attempt, const Fix& fix) {
  const std::optional<HostPort> at = parse_host_port(address);
  if (!at || at->host.empty()) {
    return {fmt::format("expected HOST:PORT, found '{}'", address),
            "write for example recon.example.org:7443, 192.0.2.7:7443 or [2001:db8::7]:7443",
            false};
  }
  int code = 0;
  const Addresses all = resolve(*at, passive, code);
  if (!all) {
    return {fmt::format("{}: expected the name or address of a host, found {}", address,
                        ::gai_strerror(code)),
            "correct the name (getent hosts NAME shows what the system knows), or use the address",
            false};
  }
  for (const addrinfo* a = all.get(); a != nullptr; a = a->ai_next) {
    code = attempt(*a);
    if (code == 0) return {"", "", is_loopback(*a)};
  }
  return {fmt::format("{}: expected {}, found: {}", address, expected, std::strerror(code)),
          fix(code, *at), false};
}

}  // namespace

PortProbe probe_connect(const std::string& address, double seconds) {
  return probe_all(
      address, false, "a coordinator",
      [&](const addrinfo& a) { return connect_within(a, seconds); }, fix_connect);
}

PortProbe probe_listen(const std::string& address) {
  return probe_all(address, true, "an address to listen on", listen_at,
                   [](int code, const HostPort&) { return fix_listen(code); });
}

}  // namespace firm
