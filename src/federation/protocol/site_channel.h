// SiteChannel: a site's connection to the coordinator, independent of the transport.
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

// The connection to the coordinator is lost; a new one may succeed.
class ChannelLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The coordinator has abandoned the attempt, since a site was lost; another attempt resumes from a
// checkpoint.
class AttemptAbandoned : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace firm
