#include "federation/gate/connection_gate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "core/host_port.h"
#include "federation/gate/tcp_socket.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr std::chrono::milliseconds kCheckPause(50);    // between two looks at all connections
constexpr std::chrono::milliseconds kAcceptPause(100);  // when no descriptor is left
constexpr std::chrono::seconds kRemembered(1);
constexpr std::chrono::seconds kAnsweredPause(2);
constexpr int kMostAtOnce = 64;  // connections accepted before others are looked at

Error cannot_listen(const std::string& address) {
  return {Error::Kind::kNetwork,
          address + ": expected an address to listen on, found one that is in use or not ours"};
}

HostPort parsed(const std::string& address) {
  const std::optional<HostPort> at = parse_host_port(address);
  if (!at) throw cannot_listen(address);
  return *at;
}

ListeningSockets listen_at(const std::string& address) {
  const HostPort at = parsed(address);
  try {
    return listen_on(at.host, at.port);
  } catch (const std::system_error&) {
    throw cannot_listen(address);
  }
}

}  // namespace

ConnectionGate::ConnectionGate(GateOptions options, Note note)
    : options_(std::move(options)),
      note_(std::move(note)),
      listening_(listen_at(options_.address)),
      lobby_(options_.limits),
      dropped_(options_.handshake_seconds),
      nothing_(::open("/dev/null", O_RDWR | O_CLOEXEC)),
      lens_(::open("/dev/null", O_RDWR | O_CLOEXEC)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  port_ = listening_.port;
  if (!nothing_.ok() || !lens_.ok() || !wake_.ok()) {
    throw Error(Error::Kind::kNetwork, options_.address + ": no descriptor is left to listen with");
  }
}

ConnectionGate::~ConnectionGate() { stop(); }

void ConnectionGate::start(HandOver hand_over) {
  hand_over_ = std::move(hand_over);
  watch_ = std::make_unique<PortWatch>(listening_.all.front().get(), options_.watch_seconds,
                                       [this] { note_silence(); });
  thread_ = std::thread([this] { run(); });
}

void ConnectionGate::stop() {
  stopping_ = true;
  if (thread_.joinable()) {
    ::eventfd_write(wake_.get(), 1);
    thread_.join();
  }
  watch_.reset();
  const std::lock_guard lock(mutex_);
  listening_.all.clear();
  for (const Visitor& v : lobby_.visitors()) {
    if (!v.in_handshake) ::close(v.socket.number);
  }
  lobby_.visitors().clear();
  guests_.clear();
}

void ConnectionGate::run() {
  while (!stopping_) {
    const std::vector<int> ready = wait();
    std::vector<int> to_grpc;
    std::vector<std::string> lines;
    {
      const std::lock_guard lock(mutex_);
      if (listen_again_) listen_again();
      to_grpc = begin_handshakes(ready);
      accept_all();
      if (Clock::now() >= next_check_) {
        forget_closed();
        end_overdue();
        end_wasteful();
        next_check_ = Clock::now() + kCheckPause;
      }
      if (const auto line = dropped_.line(Clock::now())) lines_.push_back(*line);
      lines.swap(lines_);
    }
    for (const int socket : to_grpc) hand_over_(socket);
    for (const std::string& line : lines) note_(line);
  }
}

std::vector<int> ConnectionGate::wait() {
  std::vector<pollfd> all = {{wake_.get(), POLLIN, 0}};
  {
    const std::lock_guard lock(mutex_);
    if (Clock::now() >= accept_again_) {
      for (const FileDescriptor& socket : listening_.all) all.push_back({socket.get(), POLLIN, 0});
    }
    for (const Visitor& v : lobby_.visitors()) {
      if (!v.in_handshake) all.push_back({v.socket.number, POLLIN, 0});
    }
  }
  ::poll(all.data(), all.size(), static_cast<int>(kCheckPause.count()));
  std::vector<int> ready;
  for (const pollfd& one : all) {
    if (one.revents != 0) ready.push_back(one.fd);
  }
  return ready;
}

void ConnectionGate::accept_all() {
  for (const FileDescriptor& listener : listening_.all) {
    int accepted = 0;
    while (Clock::now() >= accept_again_ && accepted < kMostAtOnce && accept_one(listener.get())) {
      ++accepted;
    }
  }
}

// Returns whether there may be another one.
bool ConnectionGate::accept_one(int listener) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  const int socket = ::accept4(listener, reinterpret_cast<sockaddr*>(&address), &length,
                               SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) {
    const bool none_left = errno == EMFILE || errno == ENFILE;
    const auto place = none_left ? lobby_.least_worth() : lobby_.visitors().end();
    if (place != lobby_.visitors().end()) {
      const bool closed = !place->in_handshake;
      drop(place, DropLog::Reason::kDisplaced);
      if (closed) return true;
    }
    // A socket that fails for another reason would wake the loop again and again.
    if (errno != EAGAIN && errno != ECONNABORTED) accept_again_ = Clock::now() + kAcceptPause;
    return errno == ECONNABORTED;
  }
  last_accepted_ = Clock::now();
  const std::optional<PeerAddress> from = PeerAddress::of(address);
  if (!from || watch_->is_own(*from)) {
    ::close(socket);
    return true;
  }
  const auto place = lobby_.displaced_by_connection(*from);
  if (place != lobby_.visitors().end()) drop(place, DropLog::Reason::kDisplaced);
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT,
             static_cast<int>(1000 * options_.unsent_seconds));
  lobby_.visitors().push_back({*from, {socket, cookie_of(socket)}, Clock::now()});
  return true;
}

std::vector<int> ConnectionGate::begin_handshakes(const std::vector<int>& ready) {
  std::vector<int> sockets;
  for (const int number : ready) {
    const auto is_it = [&](const Visitor& v) {
      return !v.in_handshake && v.socket.number == number;
    };
    auto& visitors = lobby_.visitors();
    auto visitor = std::find_if(visitors.begin(), visitors.end(), is_it);
    if (visitor == visitors.end()) continue;
    char byte = 0;
    const auto received = ::recv(number, &byte, 1, MSG_PEEK);
    if (received < 0 && errno == EAGAIN) continue;
    if (received <= 0) {  // it has hung up
      ::close(number);
      visitors.erase(visitor);
      continue;
    }
    const auto displaced = lobby_.displaced_by_handshake(visitor->from);
    if (displaced != visitors.end()) {
      drop(displaced, DropLog::Reason::kDisplaced);
      visitor = std::find_if(visitors.begin(), visitors.end(), is_it);
    }
    visitor->in_handshake = true;
    sockets.push_back(number);
  }
  return sockets;
}

void ConnectionGate::forget_closed() {
  for (auto v = lobby_.visitors().begin(); v != lobby_.visitors().end();) {
    if (v->in_handshake && !open(v->socket)) {
      remember_ended(v->from);
      v = lobby_.visitors().erase(v);
    } else {
      ++v;
    }
  }
  std::erase_if(ended_, [](const auto& e) { return Clock::now() > e.second + kRemembered; });
}

void ConnectionGate::end_overdue() {
  const auto now = Clock::now();
  const auto deadline = now - std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(options_.handshake_seconds));
  while (!lobby_.visitors().empty() && lobby_.visitors().front().since < deadline) {
    drop(lobby_.visitors().begin(), DropLog::Reason::kTooSlow);
  }
  for (auto& [cookie, guest] : guests_) {
    if (now < guest.end || guest.ended) continue;
    shut(guest.visitor.socket);
    guest.ended = true;
  }
}

void ConnectionGate::drop(Lobby::Place visitor, DropLog::Reason reason) {
  dropped_.add(visitor->from, reason);
  if (visitor->in_handshake) {
    shut(visitor->socket, reason == DropLog::Reason::kWasteful);
    remember_ended(visitor->from);
  } else {
    discard(visitor->socket.number);
  }
  lobby_.visitors().erase(visitor);
}

void ConnectionGate::remember_ended(const PeerAddress& from) {
  constexpr std::size_t kMost = 16;
  if (ended_.size() >= kMost) ended_.erase(ended_.begin());
  ended_.emplace_back(from, Clock::now());
}

bool ConnectionGate::open(const SocketId& socket) {
  return cookie_of(socket.number) == socket.cookie;
}

// The number may become another socket's at any time, so this holds on to the socket before it
// looks at the cookie.
void ConnectionGate::shut(const SocketId& socket, bool forget) {
  if (::dup3(socket.number, lens_.get(), O_CLOEXEC) < 0) return;  // it is closed already
  if (cookie_of(lens_.get()) == socket.cookie) {
    if (forget) forget_at_close(lens_.get());
    ::shutdown(lens_.get(), SHUT_RDWR);
  }
  ::dup3(nothing_.get(), lens_.get(), O_CLOEXEC);
}

std::vector<std::string> ConnectionGate::hosts_in_handshake() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<Clock::time_point, PeerAddress>> all;
  for (const Visitor& v : lobby_.visitors()) {
    if (v.in_handshake) all.emplace_back(v.since, v.from);
  }
  for (const auto& [from, when] : ended_) all.emplace_back(when, from);
  std::sort(all.rbegin(), all.rend());
  std::vector<std::string> hosts;
  std::set<std::string> seen;
  for (const auto& [when, from] : all) {
    if (seen.insert(from.host()).second) hosts.push_back(from.host());
  }
  return hosts;
}

void ConnectionGate::note_silence() {
  const std::lock_guard lock(mutex_);
  // While others get through, the call was only late.
  listen_again_ = Clock::now() > last_accepted_ + kAnsweredPause;
}

void ConnectionGate::listen_again() {
  listen_again_ = false;
  listening_.all.clear();
  const HostPort at = parsed(options_.address);
  try {
    listening_ = listen_on(at.host, port_);
    accept_again_ = {};
    lines_.push_back(fmt::format("port {} did not answer: listening on it again", port_));
  } catch (const std::system_error& e) {
    lines_.push_back(fmt::format("port {} does not answer, and cannot be listened on: {}", port_,
                                 e.code().message()));
  }
}

}  // namespace firm
