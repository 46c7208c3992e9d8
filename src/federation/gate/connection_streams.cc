// ConnectionGate: the streams of connections that gRPC has, and what these connections send.
#include <algorithm>

#include "federation/gate/connection_gate.h"
#include "federation/gate/tcp_socket.h"

namespace firm {
namespace {

// Streams of one connection, one after the other. A site needs one; gRPC takes as many as a peer
// begins and cancels.
constexpr int kMostStreams = 8;

// Bytes that a peer may send besides messages that were read: before its first stream, when TLS and
// a message may have arrived, and later, when gRPC reads ahead of the coordinator; for each message
// and each second, for frames and pings around them.
constexpr std::uint64_t kBesideBefore = std::uint64_t{2} << 20;
constexpr std::uint64_t kBeside = std::uint64_t{32} << 20;
constexpr std::uint64_t kBesideMessage = 1024;
constexpr std::uint64_t kBesideSecond = 1024;

}  // namespace

Visitor* ConnectionGate::handed_over_from(const PeerAddress& from) {
  for (auto& [ticket, guest] : guests_) {
    if (guest.visitor.from == from && open(guest.visitor.socket)) return &guest.visitor;
  }
  for (Visitor& v : lobby_.visitors()) {
    if (v.in_handshake && v.from == from && open(v.socket)) return &v;
  }
  return nullptr;
}

Lobby::Place ConnectionGate::visitor_with(Ticket ticket) {
  return std::find_if(lobby_.visitors().begin(), lobby_.visitors().end(), [&](const Visitor& v) {
    return v.in_handshake && v.socket.cookie == ticket;
  });
}

ConnectionGate::Ticket ConnectionGate::begin_stream(const PeerAddress& from) {
  const std::lock_guard lock(mutex_);
  Visitor* connection = handed_over_from(from);
  if (connection == nullptr) return 0;
  if (connection->streaming || connection->streams >= kMostStreams) {
    shut(connection->socket);
    return 0;
  }
  connection->streaming = true;
  ++connection->streams;
  return connection->socket.cookie;
}

void ConnectionGate::end_stream(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto guest = guests_.find(ticket);
  if (guest != guests_.end()) {
    Visitor& back = guest->second.visitor;
    back.since = Clock::now();
    if (open(back.socket)) lobby_.visitors().push_back(back);
    guests_.erase(guest);
  }
  const auto visitor = visitor_with(ticket);
  if (visitor != lobby_.visitors().end()) visitor->streaming = false;
}

bool ConnectionGate::admit(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto visitor = visitor_with(ticket);
  if (visitor == lobby_.visitors().end() || !open(visitor->socket)) return false;
  guests_[ticket] = {*visitor};
  lobby_.visitors().erase(visitor);
  return true;
}

void ConnectionGate::took(Ticket ticket, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto guest = guests_.find(ticket);
  if (guest != guests_.end()) guest->second.visitor.taken += bytes + kBesideMessage;
}

void ConnectionGate::end(Ticket ticket, double seconds) {
  const std::lock_guard lock(mutex_);
  const auto guest = guests_.find(ticket);
  if (guest == guests_.end()) return;
  const auto left =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  guest->second.end = std::min(guest->second.end, Clock::now() + left);
}

void ConnectionGate::end_wasteful() {
  const auto wasteful = [now = Clock::now()](const Visitor& v) {
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - v.since).count();
    const std::uint64_t most = (v.streams == 0 ? kBesideBefore : kBeside) + v.taken +
                               kBesideSecond * static_cast<std::uint64_t>(age);
    return v.in_handshake && open(v.socket) && received_bytes(v.socket.number) > most;
  };
  for (auto place = std::ranges::find_if(lobby_.visitors(), wasteful);
       place != lobby_.visitors().end();
       place = std::ranges::find_if(lobby_.visitors(), wasteful)) {
    drop(place, DropLog::Reason::kWasteful);
  }
  for (auto& [cookie, guest] : guests_) {
    if (guest.ended || !wasteful(guest.visitor)) continue;
    dropped_.add(guest.visitor.from, DropLog::Reason::kWasteful);
    shut(guest.visitor.socket, true);
    guest.ended = true;
  }
}

}  // namespace firm
