#include "federation/transport/local_exchange.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "firm/error.h"

namespace firm {
namespace {

constexpr int kFits = std::numeric_limits<int>::min();  // stands for no exponent

}  // namespace

LocalAllreduce::LocalAllreduce(Processes& processes, const Size& size,
                               std::function<bool()> checkpoint_due)
    : processes_(processes), size_(size), checkpoint_due_(std::move(checkpoint_due)) {
  FIRM_CHECK(size.here == 1 || size.groups == 1);
}

void LocalAllreduce::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

void LocalAllreduce::combine() {
  const bool due = processes_.rank() == 0 && checkpoint_due_ && checkpoint_due_();
  int numbers[] = {exponent_.value_or(kFits), due ? 1 : 0};
  processes_.largest(numbers);
  outcome_ = {{}, numbers[1] == 1};
  if (numbers[0] == kFits) {
    processes_.add(words_, scalars_);
  } else {
    outcome_ = {fraction_bits_with_room(numbers[0], size_.sites), outcome_.checkpoint};
  }
}

LocalAllreduce::Outcome LocalAllreduce::sum(const ShareView& share, std::optional<int> exponent) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || leaving_ == 0; });
  if (failed_) throw PeerFailed();
  if (arrived_ == 0) {
    words_.assign(share.words.size(), 0);
    scalars_.assign(share.scalars.size(), ScalarWord{});
    exponent_.reset();
  }
  FIRM_CHECK(share.words.size() == words_.size() && share.scalars.size() == scalars_.size());
  add(share.words, words_);
  add(share.scalars, scalars_);
  if (exponent) exponent_ = std::max(*exponent, exponent_.value_or(kFits));
  if (++arrived_ == size_.here) {
    combine();
    leaving_ = arrived_;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return failed_ || leaving_ > 0; });
  if (leaving_ == 0) throw PeerFailed();
  if (!outcome_.scale) {
    std::copy(words_.begin(), words_.end(), share.words.begin());
    std::copy(scalars_.begin(), scalars_.end(), share.scalars.begin());
  }
  const Outcome outcome = outcome_;
  --arrived_;
  if (--leaving_ == 0) changed_.notify_all();
  return outcome;
}

std::optional<int> LocalExchange::sum(const ShareView& share, std::optional<int> exponent,
                                      const std::string& /*opener*/) {
  const LocalAllreduce::Outcome outcome = allreduce_.sum(share, exponent);
  checkpoint_asked_ = checkpoint_asked_ || outcome.checkpoint;
  return outcome.scale;
}

}  // namespace firm
