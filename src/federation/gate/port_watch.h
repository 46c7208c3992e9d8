// PortWatch: dials the port of its own process again and again, to see whether it is answered.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "federation/gate/peer_address.h"

namespace firm {

class PortWatch {
 public:
  // `on_silence` is called in a thread of its own whenever a call was not answered within five
  // seconds.
  PortWatch(std::string host, int port, double seconds, std::function<void()> on_silence);
  ~PortWatch();
  PortWatch(const PortWatch&) = delete;
  PortWatch& operator=(const PortWatch&) = delete;

  // Whether the connection from that address is a call of this object. Close it: that answers it.
  bool is_own(const PeerAddress& from) const;

 private:
  void run(double seconds);
  bool answered();

  std::string host_;
  int port_;
  std::function<void()> on_silence_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<PeerAddress> calling_from_;
  std::atomic<bool> closed_ = false;
  std::jthread thread_;
};

}  // namespace firm
