#include "core/host_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>
#include <cstdint>

namespace firm {
namespace {

constexpr int kLargestPort = 65535;
constexpr std::uint32_t kLoopbackNetwork = 127;

std::optional<int> parse_port(const std::string& text) {
  int port = -1;
  const char* last = text.data() + text.size();
  const auto [end, wrong] = std::from_chars(text.data(), last, port);
  if (wrong != std::errc() || end != last || port < 0 || port > kLargestPort) return {};
  return port;
}

}  // namespace

std::optional<HostPort> parse_host_port(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {};
  const std::optional<int> port = parse_port(text.substr(colon + 1));
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!port || host.find_first_of(bracketed ? "[]" : "[]:") != std::string::npos) return {};
  return HostPort{host, *port};
}

bool is_loopback_host(const std::string& host) {
  in_addr four{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) {
    return ntohl(four.s_addr) >> 24 == kLoopbackNetwork;
  }
  in6_addr six{};
  if (::inet_pton(AF_INET6, host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
  return host == "localhost";
}

}  // namespace firm
