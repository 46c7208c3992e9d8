// ConnectionGate: accepts the connections to a coordinator and hands them to gRPC.
//
// gRPC on its own accepts without limit: idle connections use up the descriptors, after which it
// never accepts again, and each handshake takes memory. The gate owns the listening sockets. It
// hands over a connection when its first bytes have arrived, limits those that have not shown a
// certificate (see Lobby), ends them after a deadline and those that send far more than messages,
// and dials its own port to see that it can be reached.
//
// gRPC owns a connection that was handed over, and does not tell when it closes it. The gate
// recognises the socket by its cookie. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/file_descriptor.h"
#include "core/listening_sockets.h"
#include "federation/gate/drop_log.h"
#include "federation/gate/lobby.h"
#include "federation/gate/port_watch.h"

namespace firm {

struct GateOptions {
  std::string address;  // HOST:PORT; port 0 selects a free one
  LobbyLimits limits = {};
  // For the time between connecting and a stream that was admitted.
  double handshake_seconds = 10;
  double watch_seconds = 2;    // between two calls of its own port
  double unsent_seconds = 10;  // until a peer that does not acknowledge data is lost
};

class ConnectionGate {
 public:
  // Takes over a socket that does not block.
  using HandOver = std::function<void(int socket)>;
  using Note = std::function<void(const std::string& line)>;

  // Listens, but accepts nothing before start(). `note` takes lines for the log, from any thread.
  // Throws firm::Error (kNetwork) when it cannot listen on the address.
  ConnectionGate(GateOptions options, Note note);
  ~ConnectionGate();
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;

  int port() const { return port_; }
  void start(HandOver hand_over);
  // Accepts no more. Connections that were handed over stay.
  void stop();

  // A stream begins on the connection from that address. Returns 0 if it has to be refused: the
  // gate has given the connection up, or ends it now, since it has a stream already or had too
  // many.
  using Ticket = std::uint64_t;
  Ticket begin_stream(const PeerAddress& from);
  // Its stream is over. The connection counts again, as a new one.
  void end_stream(Ticket ticket);
  // Takes the connection out of the limits until its stream is over. Returns whether it is still
  // there.
  bool admit(Ticket ticket);
  // A message of so many bytes was read from an admitted connection. One that sends far more than
  // its messages is ended: gRPC would keep, say, headers that never end.
  void took(Ticket ticket, std::uint64_t bytes);
  // Ends an admitted connection after so many seconds.
  void end(Ticket ticket, double seconds);

  // Hosts whose handshake is going on or ended within the last second, the newest first.
  std::vector<std::string> hosts_in_handshake() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Guest {
    Visitor visitor;
    Clock::time_point end = Clock::time_point::max();
    bool ended = false;
  };

  void run();
  // Waits for new connections and for the first bytes of silent ones; returns the sockets of those.
  std::vector<int> wait();
  void accept_all();
  bool accept_one(int listener);
  // Moves visitors that have sent something into their handshake; returns their sockets.
  std::vector<int> begin_handshakes(const std::vector<int>& ready);
  void forget_closed();
  void end_overdue();
  void end_wasteful();
  void listen_again();
  void note_silence();
  void drop(Lobby::Place visitor, DropLog::Reason reason);
  // Returns the open connection that gRPC has from that address, admitted or not; null if none.
  Visitor* handed_over_from(const PeerAddress& from);
  Lobby::Place visitor_with(Ticket ticket);
  static bool open(const SocketId& socket);
  // Ends a connection that gRPC has; `forget`: without letting the peer read what was sent.
  void shut(const SocketId& socket, bool forget = false);
  void remember_ended(const PeerAddress& from);

  const GateOptions options_;
  const Note note_;
  HandOver hand_over_;
  int port_ = 0;

  mutable std::mutex mutex_;
  ListeningSockets listening_;
  Lobby lobby_;
  std::map<Ticket, Guest> guests_;  // by cookie of the socket
  DropLog dropped_;
  std::vector<std::string> lines_;  // for the log
  std::vector<std::pair<PeerAddress, Clock::time_point>> ended_;
  Clock::time_point accept_again_;
  Clock::time_point next_check_;
  Clock::time_point last_accepted_;
  bool listen_again_ = false;
  // Two descriptors on nothing, one of which is lent to look at a socket of gRPC: works also when
  // no descriptor is left.
  FileDescriptor nothing_;
  FileDescriptor lens_;
  FileDescriptor wake_;

  std::atomic<bool> stopping_ = false;
  std::unique_ptr<PortWatch> watch_;
  std::thread thread_;
};

}  // namespace firm
