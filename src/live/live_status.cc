#include "live/live_status.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

double tenths(double seconds) { return std::round(10 * seconds) / 10; }

}  // namespace

Json status_json(const LiveStatus& s) {
  Json j = {{"state", s.state},
            {"stage", s.stage},
            {"round", s.round},
            {"limit", s.limit},
            {"chunk", s.chunk},
            {"chunks", s.chunks},
            {"seconds", tenths(s.seconds)}};
  j["remaining"] = s.remaining ? Json(tenths(*s.remaining)) : Json(nullptr);
  j["at_most"] = s.at_most;
  j["progress"] = s.progress ? Json(std::floor(1000 * *s.progress) / 1000) : Json(nullptr);
  LiveTraffic all;
  for (const auto& [kind, traffic] : s.sent) {
    all.messages += traffic.messages;
    all.bytes += traffic.bytes;
  }
  j["sites"] = Json::array();
  for (const LiveSite& site : s.sites) {
    Json one = {{"name", site.name}, {"state", site.state}};
    if (!s.sent.empty()) {
      one["messages"] = all.messages;
      one["bytes"] = all.bytes;
    }
    if (site.bytes) {
      one["bytes_up"] = site.bytes->up;
      one["bytes_down"] = site.bytes->down;
    }
    j["sites"].push_back(std::move(one));
  }
  if (s.attempt > 0) {
    j["sums"] = s.sums;
    j["attempt"] = s.attempt;
  }
  j["messages"] = Json::array();
  for (const LiveMessage& m : s.messages) {
    j["messages"].push_back({{"seconds", tenths(m.seconds)}, {"text", m.text}});
  }
  j["warnings"] = s.warnings;
  j["images"] = s.images;
  j["control"] = s.control;
  return j;
}

}  // namespace firm
