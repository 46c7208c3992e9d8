// State of a site in a federation, as the dashboard shows it.
#pragma once

#include <string>

namespace firm {

enum class SiteState {
  kExpected,   // has not connected yet
  kWaiting,    // has sent its share, or waits for other sites to connect
  kComputing,  // the sum waits for its share
  kSending,    // a part of its share has arrived
  kLost,       // was connected, and is not any more
  kDone        // has its results
};

inline std::string name_of(SiteState state) {
  switch (state) {
    case SiteState::kExpected:
      return "expected";
    case SiteState::kWaiting:
      return "waiting";
    case SiteState::kComputing:
      return "computing";
    case SiteState::kSending:
      return "sending";
    case SiteState::kLost:
      return "lost";
    case SiteState::kDone:
      return "done";
  }
  return "";
}

}  // namespace firm
