#include "run/remaining_time.h"

#include <algorithm>

namespace firm {

void RemainingTime::start(const Chunk& chunk, double now) {
  if (begun_ && chunk.number > chunk_.number) {
    ++solved_;
    spent_ = now - first_start_;
  } else {
    solved_ = 0;
    spent_ = 0;
    first_start_ = now;
  }
  begun_ = true;
  chunk_ = chunk;
  chunk_start_ = now;
  first_round_ = -1;
  per_round_ = 0;
}

std::optional<TimeLeft> RemainingTime::left_of_chunk(const RoundRecord& r) const {
  std::optional<TimeLeft> left;
  if (r.end > r.round && per_round_ > 0) left = {per_round_ * (r.end - r.round), r.end_is_limit};
  if (chunk_.most_seconds > 0) {
    const double most = std::max(0.0, chunk_.most_seconds - r.seconds);
    if (!left || most < left->seconds) left = {most, true};
  }
  return left;
}

std::optional<TimeLeft> RemainingTime::left(const RoundRecord& r, double now) {
  if (first_round_ < 0) {
    first_round_ = r.round;
    first_time_ = now;
  }
  if (r.round > first_round_) per_round_ = (now - first_time_) / (r.round - first_round_);
  std::optional<TimeLeft> left = left_of_chunk(r);
  if (!left) return {};
  const double rounds = per_round_ > 0 ? left->seconds / per_round_ : 0;  // rounds that fit into it
  const double part = r.round > 0 ? r.round / (r.round + rounds) : 0;
  left->done = (static_cast<double>(chunk_.number) + part) / static_cast<double>(chunk_.of);
  const std::size_t to_come = chunk_.of - std::min(chunk_.of, chunk_.number + 1);
  if (to_come > 0) {
    const double all = spent_ + (now - chunk_start_) + left->seconds;
    left->seconds += static_cast<double>(to_come) * all / (solved_ + 1);
    left->at_most = false;
  }
  return left;
}

}  // namespace firm
