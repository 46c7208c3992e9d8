// PortWatch: dials a port of its own process again and again, to see whether it is answered.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "federation/gate/peer_address.h"

namespace firm {

class PortWatch {
 public:
  // Dials the address of this listening socket every `seconds`. `on_silence` is called in a thread
  // of its own whenever a call was not answered within five seconds.
  PortWatch(int listener, double seconds, std::function<void()> on_silence);
  ~PortWatch();
  PortWatch(const PortWatch&) = delete;
  PortWatch& operator=(const PortWatch&) = delete;

  // Whether the connection from that address is a call of this object. Close it: that answers it.
  bool is_own(const PeerAddress& from) const;

  struct Way {
    sockaddr_storage to{};
    socklen_t length = 0;
  };
  // The addresses on which this machine may reach a listening socket of its own: another one than
  // the first counts where the first is not there.
  static std::vector<Way> ways_to(int listener);

 private:
  void run(double seconds);
  bool answered();

  const std::vector<Way> ways_;
  std::function<void()> on_silence_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<PeerAddress> calling_from_;
  std::atomic<bool> closed_ = false;
  std::jthread thread_;
};

}  // namespace firm
