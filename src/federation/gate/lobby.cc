#include "federation/gate/lobby.h"

#include <algorithm>
#include <map>

namespace firm {

LobbyLimits LobbyLimits::within(std::uint64_t descriptors) {
  constexpr std::uint64_t kEnough = 1024;
  LobbyLimits limits;
  if (descriptors >= kEnough) return limits;
  const auto scaled = [&](std::size_t limit) {
    return std::max<std::size_t>(4, limit * descriptors / kEnough);
  };
  return {scaled(limits.all), scaled(limits.of_one_address), scaled(limits.handshakes),
          scaled(limits.handshakes_of_one_address)};
}

std::size_t Lobby::count(const PeerAddress::Bytes* network, bool handshakes_only) const {
  return static_cast<std::size_t>(
      std::count_if(visitors_.begin(), visitors_.end(), [&](const Visitor& v) {
        return (network == nullptr || v.from.network() == *network) &&
               (v.in_handshake || !handshakes_only);
      }));
}

Lobby::Place Lobby::oldest_of_largest_network(bool in_handshake) {
  std::map<PeerAddress::Bytes, std::size_t> counts;
  for (const Visitor& v : visitors_) {
    if (v.in_handshake || !in_handshake) ++counts[v.from.network()];
  }
  Place found = visitors_.end();
  std::size_t most = 0;
  for (Place v = visitors_.begin(); v != visitors_.end(); ++v) {
    if (v->in_handshake != in_handshake || counts[v->from.network()] <= most) continue;
    found = v;
    most = counts[v->from.network()];
  }
  return found;
}

Lobby::Place Lobby::oldest_of(const PeerAddress::Bytes& network, bool silent_first) {
  const auto find = [&](bool in_handshake) {
    return std::find_if(visitors_.begin(), visitors_.end(), [&](const Visitor& v) {
      return v.in_handshake == in_handshake && v.from.network() == network;
    });
  };
  const Place silent = silent_first ? find(false) : visitors_.end();
  return silent != visitors_.end() ? silent : find(true);
}

Lobby::Place Lobby::displaced_by_connection(const PeerAddress& from) {
  const PeerAddress::Bytes network = from.network();
  if (count(&network, false) >= limits_.of_one_address) return oldest_of(network, true);
  return count(nullptr, false) >= limits_.all ? least_worth() : visitors_.end();
}

Lobby::Place Lobby::displaced_by_handshake(const PeerAddress& from) {
  const PeerAddress::Bytes network = from.network();
  if (count(&network, true) >= limits_.handshakes_of_one_address) return oldest_of(network, false);
  return count(nullptr, true) >= limits_.handshakes ? oldest_of_largest_network(true)
                                                    : visitors_.end();
}

Lobby::Place Lobby::least_worth() {
  const Place silent = oldest_of_largest_network(false);
  return silent != visitors_.end() ? silent : oldest_of_largest_network(true);
}

}  // namespace firm
