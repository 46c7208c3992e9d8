// SiteQueue: messages on their way to a site, which is slower than the coordinator.
//
// A sum is sent chunk by chunk. What ends the attempt that it belongs to, or the connection, does
// not wait for the rest of it: the rest is dropped. Can be used by several threads at once.
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

  void push(const ToSite& what);
  // What has been pushed is still sent.
  void close();

  // Sends one message after the other until the queue is closed and empty, or one cannot be
  // written.
  void send_all(const Write& write);

 private:
  std::optional<ToSite> pop();
  bool overtaken();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ToSite> waiting_;
  bool overtaken_ = false;  // whether the sum that is being sent is of no use any more
  bool closed_ = false;
};

}  // namespace firm
