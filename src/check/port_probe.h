// Probes whether this machine can connect to an address, or listen on one.
#pragma once

#include <string>

namespace firm {

struct PortProbe {
  std::string problem;    // "recon.org:7443: expected ..., found ..."; empty: no problem
  std::string fix;        // how to solve the problem
  bool loopback = false;  // other machines cannot reach the address
};

// `address` is HOST:PORT, or [HOST]:PORT for IPv6. Waits up to `seconds` for each address of the
// host.
PortProbe probe_connect(const std::string& address, double seconds);

// Listens for a moment. Port 0 is always free.
PortProbe probe_listen(const std::string& address);

}  // namespace firm
