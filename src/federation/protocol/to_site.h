// ToSite: an outgoing item of the coordinator: a message, or a sum over sites. The messages of a
// sum are made one by one, when a site can receive the next.
//
// Copies share their contents: a sum is in memory once, however many sites receive it and however
// slow they are. Thread-safe.
#pragma once

#include <cstddef>
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
      : message_(std::make_shared<const v1::CoordinatorMessage>(std::move(message))),
        bytes_(message_->ByteSizeLong()) {}
  explicit ToSite(Sum sum) : sum_(std::make_shared<const Sum>(std::move(sum))) {}

  bool is_sum() const { return sum_ != nullptr; }
  // Size of the message; 0 for a sum.
  std::size_t bytes() const { return bytes_; }
  bool is_waiting() const { return message_ && message_->has_waiting(); }
  // Returns whether the site no longer needs sums queued before: the attempt or the connection
  // ends.
  bool ends_sums() const {
    return message_ && (message_->has_abandon() || message_->has_refusal());
  }

  // Calls `send` for each message until it returns false; returns whether all were sent. A message
  // is valid during the call only.
  bool for_each(const std::function<bool(const v1::CoordinatorMessage&)>& send) const;

 private:
  std::shared_ptr<const v1::CoordinatorMessage> message_;  // empty for a sum
  std::shared_ptr<const Sum> sum_;                         // empty for a message
  std::size_t bytes_ = 0;
};

}  // namespace firm
