// Bytes carried by the TCP connections of this process, as the kernel counts them: with TLS and
// HTTP/2, without packet headers.
#pragma once

namespace firm {

struct SocketBytes {
  double sent = 0;  // acknowledged by the peer
  double received = 0;
};

SocketBytes socket_bytes();

}  // namespace firm
