// SiteQueue: messages waiting to be sent to a site that is slower than the coordinator.
//
// A sum is sent chunk by chunk. A message that ends its attempt or the connection does not wait for
// the remaining chunks: they are dropped.
//
// A site that takes part answers, so that little is ever waiting for it. The queue of one that
// sends but does not read overflows: all that waits is dropped, and nothing more is sent.
// Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "federation/protocol/to_site.h"

namespace firm {

class SiteQueue {
 public:
  static constexpr std::size_t kMostMessages = 100;
  static constexpr std::size_t kMostSums = 2;  // a site has a sum before it joins the next one
  // Twice the largest message that a site accepts.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 27;

  // Returns whether the message was written.
  using Write = std::function<bool(const v1::CoordinatorMessage&)>;

  // `on_overflow` is called once, by push().
  explicit SiteQueue(std::function<void()> on_overflow = {})
      : on_overflow_(std::move(on_overflow)) {}

  void push(const ToSite& message);
  // Messages already in the queue are still sent.
  void close();
  bool overflowed();

  // Sends messages until the queue is closed and empty, or one cannot be written.
  void send_all(const Write& write);

 private:
  std::optional<ToSite> pop();
  bool overtaken();
  // Returns whether there is room for one more message.
  bool has_room(const ToSite& message) const;
  void drop_all();

  const std::function<void()> on_overflow_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ToSite> waiting_;
  bool overtaken_ = false;  // the sum being sent is no longer needed
  bool closed_ = false;
  bool overflowed_ = false;
};

}  // namespace firm
