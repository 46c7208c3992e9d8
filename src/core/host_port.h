// Parses network addresses, HOST:PORT.
#pragma once

#include <optional>
#include <string>

namespace firm {

struct HostPort {
  std::string host;  // without the brackets of an IPv6 address; may be empty
  int port = 0;
};

// "HOST:PORT" or, for IPv6, "[HOST]:PORT"; empty if the text is neither.
std::optional<HostPort> parse_host_port(const std::string& text);

// Whether other machines cannot reach the host: "localhost", 127.x.y.z or ::1. A name that only
// looks like such an address, for example 127.evil.org, is not one.
bool is_loopback_host(const std::string& host);

}  // namespace firm
