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

// Replaces "all addresses" by one on which this machine reaches itself.
void make_dialable(sockaddr_storage& address) {
  if (address.ss_family == AF_INET6) {
    in6_addr& six = reinterpret_cast<sockaddr_in6&>(address).sin6_addr;
    if (IN6_IS_ADDR_UNSPECIFIED(&six)) six = in6addr_loopback;
  } else {
    in_addr& four = reinterpret_cast<sockaddr_in&>(address).sin_addr;
    if (four.s_addr == htonl(INADDR_ANY)) four.s_addr = htonl(INADDR_LOOPBACK);
  }
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
    : on_silence_(std::move(on_silence)) {
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&to_), &length_);
  make_dialable(to_);
  thread_ = std::jthread([this, seconds] { run(seconds); });
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
  const FileDescriptor socket(
      ::socket(to_.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const std::optional<PeerAddress> from =
      socket.ok() ? bind_beside(socket.get(), to_, length_) : std::nullopt;
  if (!from) return true;  // no descriptor or port is left: this says nothing about the listener
  {
    const std::lock_guard lock(mutex_);
    calling_from_ = from;
  }
  const auto* to = reinterpret_cast<const sockaddr*>(&to_);
  if (::connect(socket.get(), to, length_) != 0 && errno != EINPROGRESS) return false;
  return is_answered(socket.get(), closed_);
}

}  // namespace firm
