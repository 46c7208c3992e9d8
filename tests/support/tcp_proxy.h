// A TCP proxy on this machine that simulates a bad network: it delays bytes, holds them back, or
// loses them together with their connection. It never changes them.
//
//   TcpProxy proxy(server_port);    // clients connect to 127.0.0.1:proxy.port()
//   proxy.delay(50);                // milliseconds, one way: a round trip takes 100 more
//
// All functions may be called from any thread and have taken effect when they return.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace firm {

class TcpProxy {
 public:
  enum Way { kUp = 0, kDown = 1 };  // up: from client to server

  // Listens on a free port of 127.0.0.1.
  explicit TcpProxy(int target = 0);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  int port() const { return port_; }
  // Sets the port of the server for new connections.
  void forward_to(int target) {
    call([this, target] { target_ = target; });
  }

  // Delays bytes that arrive from now on, in each direction. Bytes keep their order, and the delay
  // does not limit the throughput.
  void delay(double milliseconds);

  // Keeps connections open and accepts new ones, but passes nothing, not even their end.
  void stall() {
    call([this] { stalled_[kUp] = stalled_[kDown] = true; });
  }
  void stall(Way way) {
    call([this, way] { stalled_[way] = true; });
  }
  // Calls stall() after `bytes` more bytes have passed that way.
  void stall_after(Way way, std::uint64_t bytes);
  bool stalled() const { return stalled_[kUp] && stalled_[kDown]; }
  // Passes what was held back, and everything after it.
  void resume();

  // Closes all connections and drops the bytes held.
  void cut();
  // Stop and start listening: while refusing, clients get "connection refused".
  void refuse();
  void accept_again();

  // Bytes passed so far.
  std::uint64_t bytes(Way way) {
    std::uint64_t count = 0;
    call([&] { count = bytes_[way]; });
    return count;
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Bytes from one read; empty at the end of the stream.
  struct Piece {
    Clock::time_point release;
    std::vector<char> bytes;
    bool broken = false;  // the stream ended with an error
    std::size_t sent = 0;
  };

  struct Flow {
    int from = -1;
    int to = -1;
    std::deque<Piece> pieces;
    std::size_t held = 0;
    bool ended = false;    // the sender has closed it
    bool closed = false;   // closed towards the receiver
    bool blocked = false;  // the receiver's buffer is full
  };

  struct Connection {
    std::array<Flow, 2> flows;
    bool lost = false;
  };

  static constexpr std::size_t kMostHeld = std::size_t{1} << 26;
  static constexpr std::size_t kPiece = std::size_t{1} << 18;

  void listen_on(int port);
  // Runs `action` on the proxy's thread, which owns all sockets, and waits for it.
  void call(std::function<void()> action);
  void loop();
  void wait();
  void run_actions();
  void accept_all();
  void connect_up(Connection& connection) const;
  void pass(Connection& connection);
  void read_from(Flow& flow);
  void write_to(Connection& connection, Flow& flow, Way way);
  static void close_both(const Connection& connection);

  int port_ = 0;
  int target_;
  int listener_ = -1;
  std::array<int, 2> wake_{};
  Clock::duration delay_{};
  std::array<std::atomic<bool>, 2> stalled_{};
  std::array<std::optional<std::uint64_t>, 2> allowance_;
  std::array<std::uint64_t, 2> bytes_{};
  std::list<Connection> open_;
  std::vector<char> buffer_ = std::vector<char>(kPiece);
  std::mutex mutex_;
  std::deque<std::packaged_task<void()>> actions_;  // guarded by mutex_
  bool over_ = false;
  std::thread thread_;
};

}  // namespace firm
