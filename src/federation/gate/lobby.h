// Lobby: the connections of peers that have not shown a certificate yet, and their limits.
//
// A connection is silent until its first byte arrives, and then in its handshake. When there are
// too many, one gives way to the newest: refusing the newest would let anyone lock sites out by
// connecting first. A silent one gives way before one in its handshake, from whatever addresses:
// sites are silent for a moment only. Of these it is one of the address with the most connections,
// so that an attacker from elsewhere cannot displace a site; and the oldest, where that is one of
// many, since an attacker may have many addresses.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "federation/gate/peer_address.h"

namespace firm {

struct LobbyLimits {
  std::size_t all = 384;  // connections
  std::size_t of_one_address = 192;
  std::size_t handshakes = 256;  // each takes memory, about 70 KB
  std::size_t handshakes_of_one_address = 128;

  // Limits that leave most of `descriptors` to other purposes.
  static LobbyLimits within(std::uint64_t descriptors);
};

// A socket, which gRPC may have closed: its number may then belong to another one, but the cookie
// never does.
struct SocketId {
  int number = -1;
  std::uint64_t cookie = 0;
};

struct Visitor {
  PeerAddress from;
  SocketId socket;
  std::chrono::steady_clock::time_point since;
  bool in_handshake = false;
  bool streaming = false;   // a stream has begun on it and not ended
  int streams = 0;          // begun so far
  std::uint64_t taken = 0;  // bytes of messages that were read from its streams
};

class Lobby {
 public:
  explicit Lobby(const LobbyLimits& limits) : limits_(limits) {}

  // All visitors, the oldest first.
  std::vector<Visitor>& visitors() { return visitors_; }
  const std::vector<Visitor>& visitors() const { return visitors_; }

  using Place = std::vector<Visitor>::iterator;
  // Return who has to give way for one more connection, or one more handshake, from that address;
  // the end of visitors() if nobody.
  Place displaced_by_connection(const PeerAddress& from);
  Place displaced_by_handshake(const PeerAddress& from);
  // Returns who gives way when the process runs out of descriptors.
  Place least_worth();

 private:
  Place oldest_of(const PeerAddress::Bytes& network, bool silent_first);
  // Among those in their handshake, or the silent ones; the end of visitors() if there are none.
  Place oldest_of_largest_network(bool in_handshake);
  std::size_t count(const PeerAddress::Bytes* network, bool handshakes_only) const;

  LobbyLimits limits_;
  std::vector<Visitor> visitors_;
};

}  // namespace firm
