// ToSite: what the coordinator sends, the same to all sites: a message, or a sum over sites, whose
// messages are made one by one, when a site can take the next.
//
// Copies share what they carry: a sum is in memory once, however many sites it goes to and however
// slow they are. Can be used by several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "firm/v1/federation.pb.h"

namespace firm {

struct Sum {
  v1::Position position;
  std::vector<std::uint32_t> words;
  std::vector<unsigned char> scalars;
  bool checkpoint = false;
};

class ToSite {
 public:
  explicit ToSite(v1::CoordinatorMessage message)
      : message_(std::make_shared<const v1::CoordinatorMessage>(std::move(message))) {}
  explicit ToSite(Sum sum) : sum_(std::make_shared<const Sum>(std::move(sum))) {}

  bool is_sum() const { return sum_ != nullptr; }
  // Whether the site has no use for sums that were sent before: the attempt or the connection ends.
  bool ends_sums() const {
    return message_ && (message_->has_abandon() || message_->has_refusal());
  }

  // Calls `take` for one message after the other, until it returns false; returns whether it has
  // taken all. A message is valid during the call.
  bool each(const std::function<bool(const v1::CoordinatorMessage&)>& take) const;

 private:
  std::shared_ptr<const v1::CoordinatorMessage> message_;  // or
  std::shared_ptr<const Sum> sum_;
};

}  // namespace firm
