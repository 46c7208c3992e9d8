// Whether an address can be dialled, or listened on, as the system sees it.
#pragma once

#include <string>

namespace firm {

struct TcpOutcome {
  std::string wrong;      // "recon.org:7443: expected ..., found ..."; empty when nothing is
  std::string fix;        // of what is wrong
  bool loopback = false;  // an address that other machines do not see
};

// `address` is HOST:PORT, or [HOST]:PORT for IPv6. Waits up to `seconds` for each address of the
// host.
TcpOutcome try_to_connect(const std::string& address, double seconds);

// Listens for a moment. Port 0 is always free.
TcpOutcome try_to_listen(const std::string& address);

}  // namespace firm
