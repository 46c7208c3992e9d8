// How a run is doing: `live` of docs/dashboard.md.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "federation/protocol/peer_bytes.h"

namespace firm {

struct LiveSite {
  std::string name;
  std::string state;
  std::optional<PeerBytes> bytes;  // of the run, as a coordinator counts it
};

struct LiveMessage {
  double seconds = 0;
  std::string text;
};

// Messages of one kind that have left a site.
struct LiveTraffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct LiveStatus {
  std::string state = "starting";
  std::string stage;
  int round = 0;
  int limit = 0;  // 0: not known
  std::size_t chunk = 0;
  std::size_t chunks = 1;
  double seconds = 0;
  std::optional<double> remaining;
  bool at_most = false;            // `remaining` is a limit; else an estimate
  std::optional<double> progress;  // part of the run that is behind
  std::vector<LiveSite> sites;
  std::map<std::string, LiveTraffic> sent;  // by kind of message; of a site
  std::uint64_t sums = 0;
  std::uint32_t attempt = 0;
  std::deque<LiveMessage> messages;
  std::uint64_t images = 0;  // version; 0: none yet
  bool control = true;
};

nlohmann::ordered_json status_json(const LiveStatus& status);

}  // namespace firm
