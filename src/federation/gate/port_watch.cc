#include "federation/gate/port_watch.h"

#include <netinet/in.h>
#include <poll.h>

#include <cerrno>
#include <chrono>

#include "core/file_descriptor.h"

namespace firm {
namespace {

constexpr int kAnswerMilliseconds = 5000;
constexpr int kStepMilliseconds = 50;

bool takes_four(int listener) {
  int only_six = 1;
  socklen_t size = sizeof(only_six);
  return ::getsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &only_six, &size) == 0 && only_six == 0;
}

// Binds the socket to a free port of the address, so that the caller is known before it calls.
std::optional<PeerAddress> bind_beside(int socket, sockaddr_storage own, socklen_t length) {
  // sin_port and sin6_port are in the same place.
  reinterpret_cast<sockaddr_in&>(own).sin_port = 0;
  auto* address = reinterpret_cast<sockaddr*>(&own);
  if (::bind(socket, address, length) != 0 || ::getsockname(socket, address, &length) != 0) {
    return {};
  }
  return PeerAddress::of(own);
}

// Returns whether the other end closes the connection, which it has to accept first.
bool is_answered(int socket, const std::atomic<bool>& closed) {
  pollfd event{socket, POLLIN, 0};
  int waited = 0;
  while (::poll(&event, 1, kStepMilliseconds) != 1) {
    waited += kStepMilliseconds;
    if (closed || waited >= kAnswerMilliseconds) return false;
  }
  char byte = 0;
  return ::recv(socket, &byte, 1, 0) == 0;
}

}  // namespace

PortWatch::PortWatch(int listener, double seconds, std::function<void()> on_silence)
    : ways_(ways_to(listener)), on_silence_(std::move(on_silence)) {
  thread_ = std::jthread([this, seconds] { run(seconds); });
}

std::vector<PortWatch::Way> PortWatch::ways_to(int listener) {
  Way way{{}, sizeof(way.to)};
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&way.to), &way.length);
  if (way.to.ss_family != AF_INET6) {
    in_addr& four = reinterpret_cast<sockaddr_in&>(way.to).sin_addr;
    if (four.s_addr == htonl(INADDR_ANY)) four.s_addr = htonl(INADDR_LOOPBACK);
    return {way};
  }
  in6_addr& six = reinterpret_cast<sockaddr_in6&>(way.to).sin6_addr;
  if (!IN6_IS_ADDR_UNSPECIFIED(&six)) return {way};
  six = in6addr_loopback;
  std::vector<Way> ways = {way};
  // A kernel may let sockets listen on all addresses of IPv6 and yet have none.
  if (takes_four(listener)) {
    Way other{{}, sizeof(sockaddr_in)};
    auto& four = reinterpret_cast<sockaddr_in&>(other.to);
    four.sin_family = AF_INET;
    four.sin_port = reinterpret_cast<const sockaddr_in6&>(way.to).sin6_port;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ways.push_back(other);
  }
  return ways;
}

PortWatch::~PortWatch() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool PortWatch::is_own(const PeerAddress& from) const {
  const std::lock_guard lock(mutex_);
  return calling_from_ == from;
}

void PortWatch::run(double seconds) {
  std::unique_lock lock(mutex_);
  const auto pause = std::chrono::duration<double>(seconds);
  while (!changed_.wait_for(lock, pause, [this] { return closed_.load(); })) {
    lock.unlock();
    if (!answered() && !closed_) on_silence_();
    lock.lock();
  }
}

bool PortWatch::answered() {
  for (const Way& way : ways_) {
    const FileDescriptor socket(
        ::socket(way.to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const std::optional<PeerAddress> from =
        socket.ok() ? bind_beside(socket.get(), way.to, way.length) : std::nullopt;
    if (!from) continue;
    {
      const std::lock_guard lock(mutex_);
      calling_from_ = from;
    }
    const auto* to = reinterpret_cast<const sockaddr*>(&way.to);
    if (::connect(socket.get(), to, way.length) != 0 && errno != EINPROGRESS) return false;
    return is_answered(socket.get(), closed_);
  }
  return true;  // no descriptor or port is left: this says nothing about the listener
}

}  // namespace firm
