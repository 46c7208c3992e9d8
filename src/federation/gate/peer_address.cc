#include "federation/gate/peer_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "core/host_port.h"

namespace firm {
namespace {

constexpr PeerAddress::Bytes kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::size_t kPrefix = 12;  // bytes before the IPv4 address

bool is_four(const PeerAddress::Bytes& ip) {
  return std::equal(ip.begin(), ip.begin() + kPrefix, kMapped.begin());
}

std::string decoded(const std::string& text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    unsigned value = 0;
    if (text[k] == '%' && k + 2 < text.size() &&
        std::sscanf(text.c_str() + k + 1, "%2x", &value) == 1) {
      result += static_cast<char>(value);
      k += 2;
    } else {
      result += text[k];
    }
  }
  return result;
}

}  // namespace

std::optional<PeerAddress> PeerAddress::of(const sockaddr_storage& address) {
  PeerAddress peer;
  if (address.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    peer.ip = kMapped;
    std::memcpy(peer.ip.data() + kPrefix, &four.sin_addr, sizeof(four.sin_addr));
    peer.port = ntohs(four.sin_port);
    return peer;
  }
  if (address.ss_family != AF_INET6) return {};
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
  std::memcpy(peer.ip.data(), &six.sin6_addr, sizeof(six.sin6_addr));
  peer.port = ntohs(six.sin6_port);
  return peer;
}

std::optional<PeerAddress> PeerAddress::parse(const std::string& peer) {
  const std::string text = decoded(peer);
  const std::size_t scheme = text.find(':');
  if (scheme == std::string::npos) return {};
  const std::optional<HostPort> at = parse_host_port(text.substr(scheme + 1));
  if (!at) return {};
  const std::string host = at->host.substr(0, at->host.find('%'));  // without the interface
  PeerAddress parsed;
  parsed.port = static_cast<std::uint16_t>(at->port);
  if (::inet_pton(AF_INET6, host.c_str(), parsed.ip.data()) == 1) return parsed;
  parsed.ip = kMapped;
  if (::inet_pton(AF_INET, host.c_str(), parsed.ip.data() + kPrefix) == 1) return parsed;
  return {};
}

std::string PeerAddress::host() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (is_four(ip)) {
    ::inet_ntop(AF_INET, ip.data() + kPrefix, text, sizeof(text));
  } else {
    ::inet_ntop(AF_INET6, ip.data(), text, sizeof(text));
  }
  return text;
}

PeerAddress::Bytes PeerAddress::network() const {
  Bytes network = ip;
  if (!is_four(ip)) std::fill(network.begin() + 8, network.end(), 0);
  return network;
}

}  // namespace firm
