#include "live/address.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <charconv>

#include "firm/error.h"

namespace firm {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr const char* kScheme = "Bearer ";

bool is_loopback_name(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

// "HOST:PORT" or "[HOST]:PORT" in two; the port may be missing.
std::pair<std::string, std::string> split(const std::string& text) {
  if (text.starts_with("[")) {
    const std::size_t end = text.find(']');
    if (end == std::string::npos) return {text, ""};
    return {text.substr(1, end - 1), end + 2 <= text.size() ? text.substr(end + 2) : ""};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

}  // namespace

bool ListenAddress::loopback() const { return is_loopback_name(host); }

ListenAddress parse_listen_address(const std::string& option, const std::string& text) {
  auto [host, port] = split(text);
  if (port.empty()) std::swap(host, port);  // "8080"
  ListenAddress address{host.empty() ? kLoopback : host, -1};
  const auto [end, wrong] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (wrong != std::errc() || end != port.data() + port.size() || address.port < 0 ||
      address.port > 65535) {
    throw usage_error({option, "", "PORT or HOST:PORT, for example 8080 or 127.0.0.1:0",
                       fmt::format("'{}'", text)});
  }
  return address;
}

std::string url_of(const ListenAddress& a) {
  const std::string host = a.host == "0.0.0.0" || a.host == "::" ? machine_name() : a.host;
  const bool six = host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/", six ? "[" : "", host, six ? "]" : "", a.port);
}

bool is_local_host(const std::string& host_header) {
  return is_loopback_name(split(host_header).first);
}

std::string new_token() {
  unsigned char bytes[16];
  FIRM_CHECK(RAND_bytes(bytes, sizeof(bytes)) == 1);
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

bool has_token(const std::string& authorization, const std::string& token) {
  const std::string expected = kScheme + token;
  return authorization.size() == expected.size() &&
         CRYPTO_memcmp(authorization.data(), expected.data(), expected.size()) == 0;
}

}  // namespace firm
