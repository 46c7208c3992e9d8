#include "live/address.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <unistd.h>

#include "core/host_port.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr const char* kScheme = "Bearer ";

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

}  // namespace

bool ListenAddress::loopback() const { return is_loopback_host(host); }

ListenAddress parse_listen_address(const std::string& option, const std::string& text) {
  const bool port_only = text.find(':') == std::string::npos;  // "8080"
  const std::optional<HostPort> at = parse_host_port(port_only ? ":" + text : text);
  if (!at) {
    throw usage_error({option, "", "PORT or HOST:PORT, for example 8080 or 127.0.0.1:0",
                       fmt::format("'{}'", text)});
  }
  return {at->host.empty() ? kLoopback : at->host, at->port};
}

std::string url_of(const ListenAddress& a) {
  const std::string host = a.host == "0.0.0.0" || a.host == "::" ? machine_name() : a.host;
  const bool ipv6 = host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/", ipv6 ? "[" : "", host, ipv6 ? "]" : "", a.port);
}

std::string exposure_warning(const ListenAddress& address, const std::string& allowed) {
  if (address.loopback()) return "";
  return "warning: the dashboard can be reached from other machines, without encryption; anyone "
         "who has its address with the token can " +
         allowed;
}

bool is_local_host(const std::string& host_header) {
  std::optional<HostPort> at = parse_host_port(host_header);
  if (!at) at = parse_host_port(host_header + ":80");  // browsers omit the default port
  return at && is_loopback_host(at->host);
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
