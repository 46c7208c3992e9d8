// A proxy between two ends of a TCP connection on this machine. It changes nothing but time: bytes
// can be delayed, held back, or lost together with their connection.
//
//   TcpProxy proxy(server_port);    // clients dial 127.0.0.1:proxy.port()
//   proxy.delay(50);                // milliseconds, one way: a round trip takes 100 more
//
// All functions may be called from any thread; what they ask for is in force when they return.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace firm {

class TcpProxy {
 public:
  enum Way { kUp = 0, kDown = 1 };  // up: from those who dial

  // Listens on a free port of 127.0.0.1.
  explicit TcpProxy(int target = 0);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  int port() const { return port_; }
  // Where connections go that are made from now on.
  void forward_to(int target) {
    call([this, target] { target_ = target; });
  }

  // Of bytes that arrive from now on. They keep their order, and as many as there are can be on
  // their way at once.
  void delay(double milliseconds);

  // Connections stay open, and new ones are accepted, but nothing passes: not even their end.
  void stall() {
    call([this] { stalled_[kUp] = stalled_[kDown] = true; });
  }
  void stall(Way way) {
    call([this, way] { stalled_[way] = true; });
  }
  // As stall(), once so many more bytes have passed that way.
  void stall_after(Way way, std::uint64_t bytes);
  bool stalled() const { return stalled_[kUp] && stalled_[kDown]; }
  // What was held back goes on its way.
  void resume();

  // Closes all connections; bytes on their way are lost.
  void cut();
  // Nobody listens any more on this port, or somebody does again.
  void refuse();
  void accept_again();

  // Bytes that have passed so far.
  std::uint64_t bytes(Way way) {
    std::uint64_t count = 0;
    call([&] { count = bytes_[way]; });
    return count;
  }

 private:
  using Clock = std::chrono::steady_clock;

  // What was read at once; without bytes: the end.
  struct Piece {
    Clock::time_point release;
    std::vector<char> bytes;
    bool broken = false;  // the end came as an error
    std::size_t sent = 0;
  };

  struct Flow {
    int from = -1;
    int to = -1;
    std::deque<Piece> pieces;
    std::size_t held = 0;
    bool ended = false;    // nothing more comes
    bool closed = false;   // nothing more goes
    bool blocked = false;  // the receiver takes no more at present
  };

  struct Connection {
    std::array<Flow, 2> flows;
    bool lost = false;
  };

  static constexpr std::size_t kMostHeld = std::size_t{1} << 26;
  static constexpr std::size_t kPiece = std::size_t{1} << 18;

  void listen_on(int port);
  // Calls `action` on the thread of the proxy, which owns all sockets.
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

inline TcpProxy::TcpProxy(int target) : target_(target) {
  if (::pipe2(wake_.data(), O_NONBLOCK | O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  listen_on(0);
  thread_ = std::thread([this] { loop(); });
}

inline TcpProxy::~TcpProxy() {
  call([this] { over_ = true; });
  thread_.join();
  for (const Connection& connection : open_) close_both(connection);
  if (listener_ >= 0) ::close(listener_);
  for (const int end : wake_) ::close(end);
}

inline void TcpProxy::listen_on(int port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, SOMAXCONN) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("no port to listen on");
  }
  port_ = ntohs(address.sin_port);
}

inline void TcpProxy::call(std::function<void()> action) {
  std::packaged_task<void()> task(std::move(action));
  std::future<void> done = task.get_future();
  {
    const std::lock_guard lock(mutex_);
    actions_.push_back(std::move(task));
  }
  const char any = 0;
  if (::write(wake_[1], &any, 1) != 1) throw std::runtime_error("the proxy cannot be woken");
  done.get();
}

inline void TcpProxy::delay(double milliseconds) {
  call([this, milliseconds] {
    delay_ = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double, std::milli>(milliseconds));
  });
}

inline void TcpProxy::stall_after(Way way, std::uint64_t bytes) {
  call([this, way, bytes] {
    allowance_[way] = bytes;
    if (bytes == 0) stalled_[kUp] = stalled_[kDown] = true;
  });
}

inline void TcpProxy::resume() {
  call([this] {
    stalled_[kUp] = stalled_[kDown] = false;
    allowance_ = {};
  });
}

inline void TcpProxy::cut() {
  call([this] {
    for (const Connection& connection : open_) close_both(connection);
    open_.clear();
  });
}

inline void TcpProxy::refuse() {
  call([this] {
    if (listener_ >= 0) ::close(listener_);
    listener_ = -1;
  });
}

inline void TcpProxy::accept_again() {
  call([this] {
    if (listener_ < 0) listen_on(port_);
  });
}

// ---- on the thread of the proxy ----------------------------------------------------------------

inline void TcpProxy::loop() {
  while (!over_) {
    wait();
    run_actions();
    if (listener_ >= 0) accept_all();
    for (Connection& connection : open_) pass(connection);
    std::erase_if(open_, [](const Connection& connection) {
      const bool over =
          connection.lost || (connection.flows[kUp].closed && connection.flows[kDown].closed);
      if (over) close_both(connection);
      return over;
    });
  }
}

// Until a socket has something to do, a piece is to be released, or there is a call.
inline void TcpProxy::wait() {
  std::vector<pollfd> sockets = {{wake_[0], POLLIN, 0}};
  if (listener_ >= 0) sockets.push_back({listener_, POLLIN, 0});
  std::optional<Clock::time_point> next;
  for (const Connection& connection : open_) {
    for (const Way way : {kUp, kDown}) {
      const Flow& flow = connection.flows[way];
      if (stalled_[way]) continue;
      if (!flow.ended && flow.held < kMostHeld) sockets.push_back({flow.from, POLLIN, 0});
      if (flow.blocked) sockets.push_back({flow.to, POLLOUT, 0});
      if (flow.pieces.empty() || flow.blocked) continue;
      next = next ? std::min(*next, flow.pieces.front().release) : flow.pieces.front().release;
    }
  }
  timespec time{};
  if (next) {
    const auto left = std::max(*next - Clock::now(), Clock::duration::zero());
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    time.tv_sec = nanoseconds / 1'000'000'000;
    time.tv_nsec = nanoseconds % 1'000'000'000;
  }
  ::ppoll(sockets.data(), sockets.size(), next ? &time : nullptr, nullptr);
}

inline void TcpProxy::run_actions() {
  std::array<char, 64> ignored{};
  while (::read(wake_[0], ignored.data(), ignored.size()) > 0) {
  }
  const std::lock_guard lock(mutex_);
  for (; !actions_.empty(); actions_.pop_front()) actions_.front()();
}

inline void TcpProxy::accept_all() {
  for (int client = 0;;) {
    client = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    const int yes = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    Connection& connection = open_.emplace_back();
    connection.flows[kUp].from = connection.flows[kDown].to = client;
  }
}

// Only once something may pass: a server may start while clients are held back.
inline void TcpProxy::connect_up(Connection& connection) const {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  connection.flows[kUp].to = connection.flows[kDown].from = server;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(target_));
  const int yes = 1;
  ::setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  connection.lost =
      ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::fcntl(server, F_SETFL, O_NONBLOCK) != 0;
}

inline void TcpProxy::pass(Connection& connection) {
  if (connection.flows[kUp].to < 0) {
    if (stalled_[kUp]) return;
    connect_up(connection);
  }
  for (const Way way : {kUp, kDown}) {
    Flow& flow = connection.flows[way];
    if (connection.lost || stalled_[way]) continue;
    if (!flow.ended) read_from(flow);
    write_to(connection, flow, way);
  }
}

inline void TcpProxy::read_from(Flow& flow) {
  while (flow.held < kMostHeld) {
    const ssize_t n = ::recv(flow.from, buffer_.data(), buffer_.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    flow.ended = n <= 0;
    Piece& piece = flow.pieces.emplace_back();
    piece.release = Clock::now() + delay_;
    piece.broken = n < 0;
    if (n > 0) piece.bytes.assign(buffer_.begin(), buffer_.begin() + n);
    flow.held += piece.bytes.size();
    if (flow.ended) return;
  }
}

inline void TcpProxy::write_to(Connection& connection, Flow& flow, Way way) {
  flow.blocked = false;
  while (!flow.pieces.empty() && !stalled_[way] && flow.pieces.front().release <= Clock::now()) {
    Piece& piece = flow.pieces.front();
    if (piece.bytes.empty()) {
      if (piece.broken) connection.lost = true;
      ::shutdown(flow.to, SHUT_WR);
      flow.closed = true;
      flow.pieces.clear();
      return;
    }
    std::optional<std::uint64_t>& left = allowance_[way];
    std::size_t count = piece.bytes.size() - piece.sent;
    if (left) count = std::min<std::size_t>(count, *left);
    const ssize_t n = ::send(flow.to, piece.bytes.data() + piece.sent, count, MSG_NOSIGNAL);
    if (n < 0) {
      flow.blocked = errno == EAGAIN || errno == EINTR;
      connection.lost = !flow.blocked;
      return;
    }
    const auto sent = static_cast<std::size_t>(n);
    piece.sent += sent;
    flow.held -= sent;
    bytes_[way] += sent;
    if (left && (*left -= sent) == 0) stalled_[kUp] = stalled_[kDown] = true;
    if (piece.sent == piece.bytes.size()) flow.pieces.pop_front();
  }
}

inline void TcpProxy::close_both(const Connection& connection) {
  ::close(connection.flows[kUp].from);
  if (connection.flows[kUp].to >= 0) ::close(connection.flows[kUp].to);
}

}  // namespace firm
