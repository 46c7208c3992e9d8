#include "federation/gate/port_watch.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>

#include "core/file_descriptor.h"

namespace firm {
namespace {

constexpr int kAnswerMilliseconds = 5000;
constexpr int kStepMilliseconds = 50;

// A host on which this machine can reach itself.
std::string host_to_dial(const std::string& host) {
  return host.empty() || host == "0.0.0.0" || host == "::" ? "localhost" : host;
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  return {found, freeaddrinfo};
}

// Binds the socket to a free port of the address, so that the caller is known before it calls.
std::optional<PeerAddress> bind_beside(int socket, const addrinfo& to) {
  sockaddr_storage own{};
  std::copy_n(reinterpret_cast<const char*>(to.ai_addr), to.ai_addrlen,
              reinterpret_cast<char*>(&own));
  // sin_port and sin6_port are in the same place.
  reinterpret_cast<sockaddr_in&>(own).sin_port = 0;
  socklen_t length = to.ai_addrlen;
  auto* address = reinterpret_cast<sockaddr*>(&own);
  if (::bind(socket, address, length) != 0 || ::getsockname(socket, address, &length) != 0) {
    return {};
  }
  return PeerAddress::of(own);
}

// Returns whether the other end accepts the connection and then closes it.
bool is_accepted(int socket, const addrinfo& to, const std::atomic<bool>& closed) {
  if (::connect(socket, to.ai_addr, to.ai_addrlen) != 0 && errno != EINPROGRESS) return false;
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

PortWatch::PortWatch(std::string host, int port, double seconds, std::function<void()> on_silence)
    : host_(host_to_dial(host)),
      port_(port),
      on_silence_(std::move(on_silence)),
      thread_([this, seconds] { run(seconds); }) {}

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
  const Addresses all = resolve(host_, port_);
  bool called = false;  // a machine without descriptors or addresses says nothing about the port
  for (const addrinfo* to = all.get(); to != nullptr; to = to->ai_next) {
    const FileDescriptor socket(
        ::socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket.ok()) return true;
    const std::optional<PeerAddress> from = bind_beside(socket.get(), *to);
    if (!from) continue;
    {
      const std::lock_guard lock(mutex_);
      calling_from_ = from;
    }
    called = true;
    if (is_accepted(socket.get(), *to, closed_)) return true;
  }
  return !called;
}

}  // namespace firm
