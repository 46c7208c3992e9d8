// Addresses of this machine.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace firm {

inline sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// The socket will connect from 127.0.0.`host`; returns whether it can.
inline bool bind_to_loopback(int socket, unsigned host) {
  sockaddr_in from = loopback(0);
  from.sin_addr.s_addr = htonl((INADDR_LOOPBACK & 0xffffff00U) | host);
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&from), sizeof(from)) == 0;
}

}  // namespace firm
