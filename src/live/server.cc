#include "live/server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "firm/error.h"
#include "report/page/report_page.h"

namespace firm {
namespace {

constexpr int kMostPages = 16;  // each page holds a thread for its events
constexpr std::size_t kThreads = kMostPages + 4;
constexpr const char* kJson = "application/json";

}  // namespace

class Server::Impl {
 public:
  Impl(const ListenAddress& address, ServerSource source)
      : address_(address),
        source_(std::move(source)),
        token_(source_.control || !address.loopback() ? new_token() : "") {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // The library's own options would share the port with other processes.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_payload_max_length(1024);
    server_.set_read_timeout(5);
    server_.set_write_timeout(5);
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      return authorize(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                          : httplib::Server::HandlerResponse::Handled;
    });
    add_routes();
    listen();
  }

  ~Impl() {
    closing_ = true;
    server_.stop();
  }

  const ListenAddress& address() const { return address_; }
  std::string url() const {
    return url_of(address_) + (token_.empty() ? "" : fmt::format("#token={}", token_));
  }

 private:
  void listen() {
    errno = 0;
    const int port = address_.port;
    const bool bound = port == 0 ? (address_.port = server_.bind_to_any_port(address_.host)) > 0
                                 : server_.bind_to_port(address_.host, port);
    if (!bound) {
      throw Error(Error::Kind::kNetwork,
                  fmt::format("dashboard: expected an address to listen on, found {}:{}, {}",
                              address_.host, port, errno != 0 ? std::strerror(errno) : "unusable"));
    }
    thread_ = std::jthread([this] {
      server_.listen_after_bind();
      listening_ended_ = true;
    });
    // Waits, because the library ignores a stop() before it listens.
    while (!server_.is_running() && !listening_ended_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  // On loopback, all users of this machine may look. Everything else needs the token, except the
  // page itself, which holds no data, and the metrics.
  bool authorize(const httplib::Request& request, httplib::Response& response) const {
    response.set_header("Cache-Control", "no-store");
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cross-Origin-Resource-Policy", "same-origin");
    response.set_header("X-Frame-Options", "DENY");
    if (address_.loopback() && !is_local_host(request.get_header_value("Host"))) {
      refuse(response, 403, "this server answers to localhost and 127.0.0.1 only");
      return false;
    }
    const bool open = request.path == "/" || request.path == "/metrics" ||
                      (address_.loopback() && request.method == "GET");
    if (open || has_token(request.get_header_value("Authorization"), token_)) return true;
    refuse(response, 401, "expected the token that the program printed, found none or another");
    return false;
  }

  static void refuse(httplib::Response& response, int status, const std::string& why) {
    response.status = status;
    response.set_content(fmt::format(R"({{"error":"{}"}})", why), kJson);
  }

  // Uses a content provider, because the library would compress other contents, which takes ten
  // seconds for an image.
  static void send(httplib::Response& response, std::string body, const char* type,
                   const std::function<void()>& sent = {}) {
    const auto text = std::make_shared<const std::string>(std::move(body));
    response.set_content_provider(
        text->size(), type,
        [text](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
          return sink.write(text->data() + offset, length);
        },
        [sent](bool) {
          if (sent) sent();
        });
  }

  void add_routes() {
    server_.Get("/", [](const auto&, auto& response) {
      send(response, live_page(), "text/html; charset=utf-8");
    });
    server_.Get("/api/document", [this](const auto&, auto& response) {
      send(response, source_.document(), kJson, source_.document_sent);
    });
    server_.Get("/api/images", [this](const auto&, auto& response) {
      std::string images = source_.images();
      response.status = images.empty() ? 204 : 200;
      if (!images.empty()) send(response, std::move(images), kJson);
    });
    server_.Get("/api/events", [this](const auto&, auto& response) { stream(response); });
    if (source_.metrics) {
      server_.Get("/metrics", [this](const auto&, auto& response) {
        send(response, source_.metrics(), "text/plain; version=0.0.4; charset=utf-8");
      });
    }
    for (const char* command : {"pause", "resume", "stop"}) {
      if (!source_.control) break;
      // This form of handler reads no body, so requests need no Content-Length.
      server_.Post(fmt::format("/api/{}", command),
                   [this, command](const auto&, auto& response, const auto&) {
                     response.set_header("Connection", "close");
                     if (!source_.control(command)) return refuse(response, 409, "the run is over");
                     response.set_content("{}", kJson);
                   });
    }
  }

  void stream(httplib::Response& response) {
    if (watchers_ >= kMostPages) return refuse(response, 503, "too many pages are open");
    response.set_chunked_content_provider(
        "text/event-stream", [this](std::size_t, httplib::DataSink& sink) {
          ++watchers_;
          source_.events([&](const std::string& text) {
            return !closing_ && sink.is_writable() && sink.write(text.data(), text.size());
          });
          --watchers_;
          sink.done();
          return true;
        });
  }

  ListenAddress address_;
  ServerSource source_;
  std::string token_;
  std::atomic<int> watchers_ = 0;
  std::atomic<bool> closing_ = false;
  std::atomic<bool> listening_ended_ = false;
  httplib::Server server_;
  std::jthread thread_;
};

Server::Server(const ListenAddress& address, ServerSource source)
    : impl_(std::make_unique<Impl>(address, std::move(source))) {}

Server::~Server() = default;

const ListenAddress& Server::address() const { return impl_->address(); }

std::string Server::url() const { return impl_->url(); }

}  // namespace firm
