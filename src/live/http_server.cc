#include "live/http_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace firm {
namespace {

constexpr std::size_t kMostConnections = 256;
constexpr std::size_t kMostWatchers = 64;
constexpr std::size_t kLargestHead = 16384;
constexpr std::chrono::seconds kRequestTime(5);  // for a request to arrive
constexpr std::chrono::seconds kStallTime(10);   // for a client that takes nothing
constexpr std::chrono::seconds kLeaveTime(1);    // for a client to hang up after its answer
constexpr std::chrono::milliseconds kPause(100);
constexpr int kWorkers = 2;

HttpResponse error_response(int status, const char* json) {
  HttpResponse response;
  response.status = status;
  response.body = std::make_shared<const std::string>(json);
  return response;
}

HttpResponse answer_to(const HttpServer::Handler& handler, const HttpRequest& request) {
  try {
    return handler(request);
  } catch (const std::exception&) {  // such as no memory
    return error_response(500, R"({"error":"the server cannot answer at present"})");
  }
}

}  // namespace

HttpServer::HttpServer(const std::string& host, int port, Handler handler)
    : handler_(std::move(handler)),
      listening_(listen_on(host, port)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  for (int k = 0; k < kWorkers; ++k) workers_.emplace_back([this] { answer_jobs(); });
  thread_ = std::thread([this] { run(); });
}

HttpServer::~HttpServer() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  ::eventfd_write(wake_.get(), 1);
  for (std::thread& worker : workers_) worker.join();
  thread_.join();
}

void HttpServer::run() {
  for (;;) {
    wait();
    {
      const std::lock_guard lock(mutex_);
      if (closing_) break;
    }
    take_answers();
    for (auto c = connections_.begin(); c != connections_.end();) {
      const auto next = std::next(c);
      if (!serve(*c) || overdue(*c)) erase(c);
      c = next;
    }
    accept_all();
  }
  while (!connections_.empty()) erase(connections_.begin());
}

void HttpServer::wait() {
  std::vector<pollfd> all = {{wake_.get(), POLLIN, 0}};
  if (Clock::now() >= accept_again_) {
    for (const FileDescriptor& socket : listening_.all) all.push_back({socket.get(), POLLIN, 0});
  }
  for (const Connection& c : connections_) {
    using State = Connection::State;
    short events = 0;
    if (c.state == State::kReading || c.state == State::kLeaving) events = POLLIN;
    if (c.state == State::kWriting && c.written < c.out.size()) events = POLLOUT;
    if (c.state == State::kWriting && !c.watching()) events = POLLOUT;
    // A client that hangs up during its answer is found by writing.
    if (events != 0) all.push_back({c.socket.get(), events, 0});
  }
  ::poll(all.data(), all.size(), static_cast<int>(kPause.count()));
  eventfd_t value = 0;
  ::eventfd_read(wake_.get(), &value);
}

void HttpServer::accept_all() {
  for (const FileDescriptor& listener : listening_.all) {
    while (Clock::now() >= accept_again_) {
      const int socket = ::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0 && errno == ECONNABORTED) continue;
      if (socket < 0) {
        if (errno == EAGAIN) break;
        make_room();  // no descriptor is left
        accept_again_ = Clock::now() + kPause;
        break;
      }
      if (connections_.size() >= kMostConnections) make_room();
      FileDescriptor owned(socket);
      if (connections_.size() < kMostConnections) {
        connections_.push_back({++count_, std::move(owned)});
      }
    }
  }
}

// Closes the connection that is worth least: the oldest without a request, else the one that has
// taken nothing for longest.
void HttpServer::make_room() {
  const auto reading = std::find_if(connections_.begin(), connections_.end(), [](const auto& c) {
    return c.state == Connection::State::kReading || c.state == Connection::State::kLeaving;
  });
  if (reading != connections_.end()) return erase(reading);
  const auto stalled = std::min_element(
      connections_.begin(), connections_.end(), [](const Connection& a, const Connection& b) {
        return std::pair(a.out.empty(), a.progress) < std::pair(b.out.empty(), b.progress);
      });
  if (stalled != connections_.end()) erase(stalled);
}

bool HttpServer::overdue(const Connection& c) {
  const auto waited = Clock::now() - c.progress;
  switch (c.state) {
    case Connection::State::kReading:
      return waited > kRequestTime;
    case Connection::State::kAnswering:
      return false;
    case Connection::State::kWriting:
      return waited > kStallTime;
    case Connection::State::kLeaving:
      return waited > kLeaveTime;
  }
  return true;
}

bool HttpServer::serve(Connection& c) {
  switch (c.state) {
    case Connection::State::kReading:
      return read_request(c);
    case Connection::State::kAnswering:
      return true;
    case Connection::State::kWriting:
      return write_answer(c);
    case Connection::State::kLeaving:
      break;
  }
  char rest[4096];
  const auto got = ::recv(c.socket.get(), rest, sizeof(rest), 0);
  return got > 0 || (got < 0 && errno == EAGAIN);
}

bool HttpServer::read_request(Connection& c) {
  char bytes[4096];
  const auto got = ::recv(c.socket.get(), bytes, sizeof(bytes), 0);
  if (got < 0 && errno == EAGAIN) return true;
  if (got <= 0) return false;
  c.in.append(bytes, static_cast<std::size_t>(got));
  const auto length = head_length(c.in);
  if (!length && c.in.size() < kLargestHead) return true;
  auto request = length ? parse_head(std::string_view(c.in).substr(0, *length)) : std::nullopt;
  c.in = {};
  if (!request) {
    start_answer(c, error_response(400, R"({"error":"expected an HTTP request"})"));
    return true;
  }
  c.head_only = request->method == "HEAD";
  if (c.head_only) request->method = "GET";
  c.state = Connection::State::kAnswering;
  const std::lock_guard lock(mutex_);
  jobs_.push_back({c.number, std::move(*request)});
  changed_.notify_one();
  return true;
}

void HttpServer::answer_jobs() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
    if (closing_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    HttpResponse response = answer_to(handler_, job.request);
    lock.lock();
    answers_.emplace_back(job.number, std::move(response));
    ::eventfd_write(wake_.get(), 1);
  }
}

void HttpServer::take_answers() {
  std::vector<std::pair<std::uint64_t, HttpResponse>> answers;
  {
    const std::lock_guard lock(mutex_);
    answers.swap(answers_);
  }
  for (auto& [number, response] : answers) {
    const auto c = std::ranges::find(connections_, number, &Connection::number);
    if (c != connections_.end()) {
      start_answer(*c, std::move(response));
    } else if (response.sent) {
      response.sent();
    }
  }
}

void HttpServer::start_answer(Connection& c, HttpResponse response) {
  if (response.events) {
    const auto watchers = std::ranges::count_if(connections_, &Connection::watching);
    const auto stalled = std::ranges::find_if(connections_, [](const Connection& other) {
      return other.watching() && !other.out.empty() && Clock::now() - other.progress > kLeaveTime;
    });
    if (static_cast<std::size_t>(watchers) >= kMostWatchers) {
      if (stalled == connections_.end()) {
        response = error_response(503, R"({"error":"too many pages are open"})");
      } else {
        leave(*stalled);
      }
    }
  }
  c.out = head_of(response);
  c.response = std::move(response);
  c.written = 0;
  c.progress = Clock::now();
  c.state = Connection::State::kWriting;
  if (c.head_only && c.response.events) c.last = true;
}

bool HttpServer::send_some(Connection& c, const std::string& text, bool& blocked) {
  const auto sent = ::send(c.socket.get(), text.data() + c.written, text.size() - c.written,
                           MSG_NOSIGNAL | MSG_DONTWAIT);
  blocked = sent < 0 && errno == EAGAIN;
  if (sent < 0) return blocked;
  c.written += static_cast<std::size_t>(sent);
  c.progress = Clock::now();
  return true;
}

bool HttpServer::write_answer(Connection& c) {
  bool blocked = false;
  while (!blocked) {
    if (!c.out.empty()) {
      if (!send_some(c, c.out, blocked)) return false;
      if (c.written == c.out.size()) {
        c.out = {};
        c.written = 0;
      }
      continue;
    }
    if (c.watching()) {
      if (c.last) break;
      EventStream::Events events = c.response.events->next();
      c.progress = Clock::now();
      c.last = events.last;
      if (events.text.empty() && !events.last) return true;
      c.out = std::move(events.text);
      continue;
    }
    if (!c.response.body || c.head_only || c.written == c.response.body->size()) break;
    if (!send_some(c, *c.response.body, blocked)) return false;
  }
  if (!blocked) leave(c);
  return true;
}

// Closing at once could take the end of the answer from a client that is still sending.
void HttpServer::leave(Connection& c) {
  if (c.response.sent) c.response.sent();
  c.response = {};
  c.out = {};
  c.progress = Clock::now();
  c.state = Connection::State::kLeaving;
  ::shutdown(c.socket.get(), SHUT_WR);
}

void HttpServer::erase(Place c) {
  if (c->response.sent) c->response.sent();
  connections_.erase(c);
}

}  // namespace firm
