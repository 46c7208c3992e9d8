#include "support/tcp_proxy.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "support/loopback.h"

namespace firm {
namespace {

void send_without_delay(int socket) {
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

}  // namespace

TcpProxy::TcpProxy(int target) : target_(target) {
  if (::pipe2(wake_.data(), O_NONBLOCK | O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  listen_on(0);
  thread_ = std::thread([this] { loop(); });
}

TcpProxy::~TcpProxy() {
  call([this] { over_ = true; });
  thread_.join();
  for (const Connection& connection : open_) close_both(connection);
  if (listener_ >= 0) ::close(listener_);
  for (const int end : wake_) ::close(end);
}

void TcpProxy::listen_on(int port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address = loopback(port);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, SOMAXCONN) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("cannot listen on the loopback");
  }
  port_ = ntohs(address.sin_port);
}

void TcpProxy::call(std::function<void()> action) {
  std::packaged_task<void()> task(std::move(action));
  std::future<void> done = task.get_future();
  {
    const std::lock_guard lock(mutex_);
    actions_.push_back(std::move(task));
  }
  const char any = 0;
  if (::write(wake_[1], &any, 1) != 1) throw std::runtime_error("cannot wake the proxy");
  done.get();
}

void TcpProxy::delay(double milliseconds) {
  call([this, milliseconds] {
    delay_ = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double, std::milli>(milliseconds));
  });
}

void TcpProxy::stall_after(Way way, std::uint64_t bytes) {
  call([this, way, bytes] {
    allowance_[way] = bytes;
    if (bytes == 0) stalled_[kUp] = stalled_[kDown] = true;
  });
}

void TcpProxy::resume() {
  call([this] {
    stalled_[kUp] = stalled_[kDown] = false;
    allowance_ = {};
  });
}

void TcpProxy::cut() {
  call([this] {
    for (const Connection& connection : open_) close_both(connection);
    open_.clear();
  });
}

void TcpProxy::refuse() {
  call([this] {
    if (listener_ >= 0) ::close(listener_);
    listener_ = -1;
  });
}

void TcpProxy::accept_again() {
  call([this] {
    if (listener_ < 0) listen_on(port_);
  });
}

// ---- on the proxy's thread ----------------------------------------------------------------------

void TcpProxy::loop() {
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

// Sleeps until a socket is ready, a delayed piece is due, or an action is queued.
void TcpProxy::wait() {
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

void TcpProxy::run_actions() {
  std::array<char, 64> ignored{};
  while (::read(wake_[0], ignored.data(), ignored.size()) > 0) {
  }
  const std::lock_guard lock(mutex_);
  for (; !actions_.empty(); actions_.pop_front()) actions_.front()();
}

void TcpProxy::accept_all() {
  for (int client = 0;;) {
    client = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    send_without_delay(client);
    Connection& connection = open_.emplace_back();
    connection.flows[kUp].from = connection.flows[kDown].to = client;
  }
}

// Called once bytes may pass, so that a server can start while clients are held back.
void TcpProxy::connect_up(Connection& connection) const {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  connection.flows[kUp].to = connection.flows[kDown].from = server;
  const sockaddr_in address = loopback(target_);
  send_without_delay(server);
  connection.lost =
      ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::fcntl(server, F_SETFL, O_NONBLOCK) != 0;
}

void TcpProxy::pass(Connection& connection) {
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

void TcpProxy::read_from(Flow& flow) {
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

void TcpProxy::write_to(Connection& connection, Flow& flow, Way way) {
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

void TcpProxy::close_both(const Connection& connection) {
  ::close(connection.flows[kUp].from);
  if (connection.flows[kUp].to >= 0) ::close(connection.flows[kUp].to);
}

}  // namespace firm
