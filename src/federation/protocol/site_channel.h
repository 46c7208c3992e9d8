// SiteChannel: what a site sends to and receives from the coordinator, whatever carries it.
#pragma once

#include <stdexcept>
#include <string>

#include "firm/v1/federation.pb.h"

namespace firm {

class SiteChannel {
 public:
  virtual ~SiteChannel() = default;

  // Both block, and throw ChannelLost.
  virtual void send(const v1::SiteMessage& message) = 0;
  virtual v1::CoordinatorMessage receive() = 0;
};

// The coordinator cannot be reached any more; another connection may succeed.
class ChannelLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Another site was lost: all go on from a checkpoint, in another attempt.
class AttemptAbandoned : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace firm
