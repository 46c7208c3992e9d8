// SiteQueue: messages waiting to be sent to a site that is slower than the coordinator.
//
// A sum is sent chunk by chunk. A message that ends its attempt or the connection does not wait for
// the remaining chunks: they are dropped. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "federation/protocol/to_site.h"

namespace firm {

class SiteQueue {
 public:
  // Returns whether the message was written.
  using Write = std::function<bool(const v1::CoordinatorMessage&)>;

  void push(const ToSite& message);
  // Messages already in the queue are still sent.
  void close();

  // Sends messages until the queue is closed and empty, or one cannot be written.
  void send_all(const Write& write);

 private:
  std::optional<ToSite> pop();
  bool overtaken();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ToSite> waiting_;
  bool overtaken_ = false;  // the sum being sent is no longer needed
  bool closed_ = false;
};

}  // namespace firm
