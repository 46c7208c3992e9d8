// HttpServer: serves short requests and streams of events to many clients, of which any may be
// slow, silent or hostile.
//
// One thread reads and writes all connections without blocking, so that a client which does not
// finish its request, or does not read its answer, costs a descriptor for some seconds and nothing
// else. Two threads compute the answers.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/file_descriptor.h"
#include "core/listening_sockets.h"
#include "live/http_message.h"

namespace firm {

class HttpServer {
 public:
  // Called from two threads at once.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Listens at once. Throws std::system_error if it cannot.
  HttpServer(const std::string& host, int port, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return listening_.port; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    enum class State { kReading, kAnswering, kWriting, kLeaving };
    std::uint64_t number;
    FileDescriptor socket;
    State state = State::kReading;
    std::string in = {};
    std::string out = {};  // to be written before the body
    bool head_only = false;
    HttpResponse response = {};
    std::size_t written = 0;  // of `out`, or of the body after it
    bool last = false;        // no more events
    // When the connection came, or the client last took something.
    Clock::time_point progress = Clock::now();

    bool watching() const { return response.events != nullptr; }
  };
  using Place = std::list<Connection>::iterator;
  struct Job {
    std::uint64_t number;
    HttpRequest request;
  };

  void run();
  void wait();
  void accept_all();
  void make_room();
  void take_answers();
  // Return false when the connection is over.
  bool serve(Connection& c);
  bool read_request(Connection& c);
  bool write_answer(Connection& c);
  static bool send_some(Connection& c, const std::string& text, bool& blocked);
  static bool overdue(const Connection& c);
  void leave(Connection& c);
  void erase(Place c);
  void start_answer(Connection& c, HttpResponse response);
  void answer_jobs();

  Handler handler_;
  ListeningSockets listening_;
  FileDescriptor wake_;
  std::list<Connection> connections_;  // the oldest first; used by thread_ only
  std::uint64_t count_ = 0;
  Clock::time_point accept_again_{};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::vector<std::pair<std::uint64_t, HttpResponse>> answers_;
  bool closing_ = false;
  std::vector<std::thread> workers_;
  std::thread thread_;
};

}  // namespace firm
