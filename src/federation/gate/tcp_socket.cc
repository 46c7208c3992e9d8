#include "federation/gate/tcp_socket.h"

#include <linux/tcp.h>  // not beside <netinet/tcp.h>, which has an older tcp_info
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace firm {

std::uint64_t cookie_of(int socket) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  return ::getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

std::uint64_t received_bytes(int socket) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_received
                                                                        : 0;
}

void set_option(int socket, int level, int name, int value) {
  ::setsockopt(socket, level, name, &value, sizeof(value));
}

void forget_at_close(int socket) {
  const linger now{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

void discard(int socket) {
  forget_at_close(socket);
  ::close(socket);
}

}  // namespace firm
