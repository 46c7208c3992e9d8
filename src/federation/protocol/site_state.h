// What a site of a federation is doing.
#pragma once

#include <string>

namespace firm {

enum class SiteState {
  kExpected,   // has not come yet
  kWaiting,    // has sent all, or waits for others to come
  kComputing,  // the sum waits for it
  kSending,    // a part has arrived
  kLost,       // was there, and is not any more
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
