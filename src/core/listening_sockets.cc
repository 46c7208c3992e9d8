#include "core/listening_sockets.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>

namespace firm {
namespace {

struct Wanted {
  sockaddr_storage address{};
  socklen_t length = 0;
  bool both = false;  // IPv6 that also takes IPv4
};

Wanted wanted(const sockaddr* address, socklen_t length, bool both) {
  Wanted w;
  std::copy_n(reinterpret_cast<const char*>(address), length, reinterpret_cast<char*>(&w.address));
  w.length = length;
  w.both = both;
  return w;
}

bool is_any(const std::string& host) { return host.empty() || host == "0.0.0.0" || host == "::"; }

// All addresses of the machine: one socket for IPv6 and IPv4 where the machine has both.
std::vector<Wanted> any_address() {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_any;
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(INADDR_ANY);
  return {wanted(reinterpret_cast<const sockaddr*>(&six), sizeof(six), true),
          wanted(reinterpret_cast<const sockaddr*>(&four), sizeof(four), false)};
}

std::vector<Wanted> addresses_of(const std::string& host) {
  if (is_any(host)) return any_address();
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  std::vector<Wanted> all;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const bool mapped =
        one->ai_family == AF_INET6 &&
        IN6_IS_ADDR_V4MAPPED(&reinterpret_cast<const sockaddr_in6*>(one->ai_addr)->sin6_addr);
    all.push_back(wanted(one->ai_addr, one->ai_addrlen, mapped));
  }
  return all;
}

in_port_t& port_of(sockaddr_storage& address) {
  return address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                       : reinterpret_cast<sockaddr_in&>(address).sin_port;
}

// Returns no socket, and errno, if the address cannot be had.
FileDescriptor listen_at(Wanted at, int& port) {
  FileDescriptor socket(
      ::socket(at.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return socket;
  const int yes = 1;
  const int only_six = at.both ? 0 : 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (at.address.ss_family == AF_INET6) {
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only_six, sizeof(only_six));
  }
  port_of(at.address) = htons(static_cast<std::uint16_t>(port));
  const auto* address = reinterpret_cast<const sockaddr*>(&at.address);
  if (::bind(socket.get(), address, at.length) != 0 || ::listen(socket.get(), SOMAXCONN) != 0) {
    return FileDescriptor(-1);
  }
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&at.address), &at.length);
  port = ntohs(port_of(at.address));
  return socket;
}

}  // namespace

ListeningSockets listen_on(const std::string& host, int port) {
  ListeningSockets sockets;
  sockets.port = port;
  int problem = EADDRNOTAVAIL;
  for (const Wanted& at : addresses_of(host)) {
    FileDescriptor socket = listen_at(at, sockets.port);
    if (socket.get() < 0) {
      problem = errno;
      continue;
    }
    sockets.all.push_back(std::move(socket));
    if (is_any(host)) break;  // the first takes everything
  }
  if (sockets.all.empty()) throw std::system_error(problem, std::generic_category());
  return sockets;
}

}  // namespace firm
