// PeerAddress: IP address and port at the other end of a connection.
#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace firm {

struct PeerAddress {
  using Bytes = std::array<unsigned char, 16>;

  Bytes ip{};  // IPv6; IPv4 as ::ffff:a.b.c.d
  std::uint16_t port = 0;

  // Empty if the socket is of another family.
  static std::optional<PeerAddress> of(const sockaddr_storage& address);
  // Parses the text of grpc::ServerContext::peer, such as "ipv4:10.1.2.3:4000" or
  // "ipv6:%5B::1%5D:4000".
  static std::optional<PeerAddress> parse(const std::string& peer);

  std::string host() const;  // "10.1.2.3", "fe80::1"
  // Who is limited together: an IPv4 address, or the first 64 bits of an IPv6 address, since one
  // machine may have all the others.
  Bytes network() const;

  friend auto operator<=>(const PeerAddress&, const PeerAddress&) = default;
};

}  // namespace firm
