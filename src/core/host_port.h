// HOST:PORT, as people write addresses.
#pragma once

#include <optional>
#include <string>

namespace firm {

struct HostPort {
  std::string host;  // without the brackets of an IPv6 address; may be empty
  int port = 0;
};

// "HOST:PORT" or, for IPv6, "[HOST]:PORT"; nothing when it is neither.
std::optional<HostPort> parse_host_port(const std::string& text);

// "localhost", 127.x.y.z or ::1: what other machines cannot reach. A name that only looks like an
// address, such as 127.evil.org, is none.
bool is_loopback_host(const std::string& host);

}  // namespace firm
