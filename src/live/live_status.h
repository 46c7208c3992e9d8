// LiveStatus: the status of a run, `live` of the document that docs/dashboard.md describes.
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
  std::optional<PeerBytes> bytes;  // only at a coordinator
};

struct LiveMessage {
  double seconds = 0;
  std::string text;
};

// Messages of one kind that a site has sent.
struct LiveTraffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct LiveStatus {
  std::string state = "starting";
  std::string stage;
  int round = 0;
  int limit = 0;  // 0: unknown
  std::size_t chunk = 0;
  std::size_t chunks = 1;
  double seconds = 0;
  std::optional<double> remaining;
  bool at_most = false;            // `remaining` is an upper limit, not an estimate
  std::optional<double> progress;  // fraction of the run that is done
  std::vector<LiveSite> sites;
  std::map<std::string, LiveTraffic> sent;  // by kind of message; only at a site
  std::uint64_t sums = 0;
  std::uint32_t attempt = 0;
  std::deque<LiveMessage> messages;
  std::vector<std::string> warnings;  // without the word "warning"; each text once
  std::uint64_t images = 0;           // version of the images; 0: none yet
  bool control = true;
};

nlohmann::ordered_json status_json(const LiveStatus& status);

}  // namespace firm
