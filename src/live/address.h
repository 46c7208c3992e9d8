// Where a dashboard listens, and who may ask.
#pragma once

#include <string>

namespace firm {

struct ListenAddress {
  std::string host;  // "127.0.0.1" where none is given
  int port = 0;      // 0: any that is free

  // Whether only this machine can reach it.
  bool loopback() const;
};

// "8080", ":8080", "HOST:PORT", "[::1]:8080". Throws firm::Error (kUsage), which names `option`.
ListenAddress parse_listen_address(const std::string& option, const std::string& text);

// "http://127.0.0.1:8080/"; where it listens everywhere, by the name of this machine.
std::string url_of(const ListenAddress& address);

// A warning for who listens where others can, or empty; `may`: what the token allows.
std::string exposure_warning(const ListenAddress& address, const std::string& may);

// Whether the `Host` of a request names this machine: a web page whose name points to 127.0.0.1
// sends its own.
bool is_local_host(const std::string& host_header);

// 128 random bits.
std::string new_token();

// Whether the header `Authorization` has it; takes as long whatever is in it.
bool has_token(const std::string& authorization, const std::string& token);

}  // namespace firm
