// Sockets that listen for TCP connections.
#pragma once

#include <string>
#include <vector>

#include "core/file_descriptor.h"

namespace firm {

struct ListeningSockets {
  std::vector<FileDescriptor> all;  // one for each address of the host
  int port = 0;
};

// Listens on all addresses of `host`; "0.0.0.0", "::" and an empty host are all addresses of this
// machine, IPv4 and IPv6. Port 0 selects a free one, the same for all. The sockets do not block,
// and no other process can share their port. Throws std::system_error if there is none.
ListeningSockets listen_on(const std::string& host, int port);

}  // namespace firm
