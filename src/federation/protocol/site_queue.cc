#include "federation/protocol/site_queue.h"

namespace firm {

bool SiteQueue::has_room(const ToSite& message) const {
  std::size_t bytes = message.bytes();
  std::size_t sums = message.is_sum() ? 1 : 0;
  for (const ToSite& other : waiting_) {
    bytes += other.bytes();
    sums += other.is_sum() ? 1 : 0;
  }
  return waiting_.size() < kMostMessages && bytes <= kMostBytes && sums <= kMostSums;
}

void SiteQueue::drop_all() {
  waiting_.clear();
  overtaken_ = closed_ = overflowed_ = true;
  changed_.notify_one();
}

void SiteQueue::push(const ToSite& message) {
  std::unique_lock lock(mutex_);
  if (closed_) return;
  if (message.ends_sums()) {
    std::erase_if(waiting_, [](const ToSite& other) { return other.is_sum(); });
    overtaken_ = true;
  }
  // The newest is enough: others may connect again and again while this site does not read.
  if (message.is_waiting() && !waiting_.empty() && waiting_.back().is_waiting()) {
    waiting_.pop_back();
  }
  if (!has_room(message)) {
    drop_all();
    lock.unlock();
    if (on_overflow_) on_overflow_();
    return;
  }
  waiting_.push_back(message);
  changed_.notify_one();
}

void SiteQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_one();
}

bool SiteQueue::overflowed() {
  const std::lock_guard lock(mutex_);
  return overflowed_;
}

std::optional<ToSite> SiteQueue::pop() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
  if (waiting_.empty()) return std::nullopt;
  ToSite next = waiting_.front();
  waiting_.pop_front();
  overtaken_ = false;
  return next;
}

bool SiteQueue::overtaken() {
  const std::lock_guard lock(mutex_);
  return overtaken_;
}

void SiteQueue::send_all(const Write& write) {
  bool broken = false;
  while (!broken) {
    const std::optional<ToSite> next = pop();
    if (!next) return;
    next->for_each([&](const v1::CoordinatorMessage& part) {
      if (next->is_sum() && overtaken()) return false;
      broken = !write(part);
      return !broken;
    });
  }
}

}  // namespace firm
