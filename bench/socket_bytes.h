// What the TCP connections of this process have carried, as the kernel counts it: the bytes of the
// streams, TLS and HTTP/2 included, without the headers of packets.
#pragma once

namespace firm {

struct SocketBytes {
  double sent = 0;  // and acknowledged
  double received = 0;
};

SocketBytes socket_bytes();

}  // namespace firm
