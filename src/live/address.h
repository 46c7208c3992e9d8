// Address and access token of a dashboard.
#pragma once

#include <string>

namespace firm {

struct ListenAddress {
  std::string host;  // default: "127.0.0.1"
  int port = 0;      // 0: any free port

  // Whether only this machine can reach the address.
  bool loopback() const;
};

// Parses "8080", ":8080", "HOST:PORT" or "[::1]:8080". Throws firm::Error (kUsage) that names
// `option`.
ListenAddress parse_listen_address(const std::string& option, const std::string& text);

// Returns for instance "http://127.0.0.1:8080/". An address on all interfaces is replaced by the
// name of this machine.
std::string url_of(const ListenAddress& address);

// Returns a warning if other machines can reach the address, else an empty string. `allowed` says
// what the token allows.
std::string exposure_warning(const ListenAddress& address, const std::string& allowed);

// Whether the `Host` header of a request names this machine. A foreign web page whose name resolves
// to 127.0.0.1 (DNS rebinding) sends its own name.
bool is_local_host(const std::string& host_header);

// Returns 128 random bits as hexadecimal digits.
std::string new_token();

// Whether the `Authorization` header holds the token. Compares in constant time.
bool has_token(const std::string& authorization, const std::string& token);

}  // namespace firm
