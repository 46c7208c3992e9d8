#include "live/server.h"

#include <fmt/format.h>

#include <optional>
#include <system_error>

#include "firm/error.h"
#include "live/http_server.h"
#include "report/page/report_page.h"

namespace firm {
namespace {

HttpResponse text_response(std::string body, const char* type) {
  HttpResponse response;
  response.type = type;
  response.body = std::make_shared<const std::string>(std::move(body));
  return response;
}

HttpResponse json_response(std::string body) {
  return text_response(std::move(body), "application/json");
}

HttpResponse refusal(int status, const std::string& why) {
  HttpResponse response = json_response(fmt::format(R"({{"error":"{}"}})", why));
  response.status = status;
  return response;
}

}  // namespace

class Server::Impl {
 public:
  Impl(const ListenAddress& address, ServerSource source)
      : address_(address),
        source_(std::move(source)),
        token_(source_.control || !address.loopback() ? new_token() : "") {
    try {
      server_.emplace(address_.host, address_.port,
                      [this](const HttpRequest& request) { return answer(request); });
    } catch (const std::system_error& e) {
      throw Error(Error::Kind::kNetwork,
                  fmt::format("dashboard: expected an address to listen on, found {}:{}, {}",
                              address_.host, address_.port, e.code().message()));
    }
    address_.port = server_->port();
  }

  const ListenAddress& address() const { return address_; }
  std::string url() const {
    return url_of(address_) + (token_.empty() ? "" : fmt::format("#token={}", token_));
  }

 private:
  // On loopback, all users of this machine may look. Everything else needs the token, except the
  // page itself, which holds no data, and the metrics.
  std::optional<HttpResponse> unauthorized(const HttpRequest& request) const {
    if (address_.loopback() && !is_local_host(request.header("host"))) {
      return refusal(403, "this server answers to localhost and 127.0.0.1 only");
    }
    const bool open = request.path == "/" || request.path == "/metrics" ||
                      (address_.loopback() && request.method == "GET");
    if (open || has_token(request.header("authorization"), token_)) return {};
    return refusal(401, "expected the token that the program printed, found none or another");
  }

  HttpResponse answer(const HttpRequest& request) const {
    if (std::optional<HttpResponse> no = unauthorized(request)) return std::move(*no);
    if (request.method == "GET") return get(request.path);
    if (request.method == "POST" && source_.control) return post(request.path);
    return refusal(404, "there is nothing here");
  }

  HttpResponse get(const std::string& path) const {
    if (path == "/") return text_response(live_page(), "text/html; charset=utf-8");
    if (path == "/api/document") {
      HttpResponse response = json_response(source_.document());
      response.sent = source_.document_sent;
      return response;
    }
    if (path == "/api/images") {
      std::string images = source_.images();
      HttpResponse none;
      none.status = 204;
      return images.empty() ? std::move(none) : json_response(std::move(images));
    }
    if (path == "/api/events") {
      HttpResponse response;
      response.type = "text/event-stream";
      response.events = source_.events();
      return response;
    }
    if (path == "/metrics" && source_.metrics) {
      return text_response(source_.metrics(), "text/plain; version=0.0.4; charset=utf-8");
    }
    return refusal(404, "there is nothing here");
  }

  HttpResponse post(const std::string& path) const {
    for (const char* command : {"pause", "resume", "stop"}) {
      if (path != fmt::format("/api/{}", command)) continue;
      return source_.control(command) ? json_response("{}") : refusal(409, "the run is over");
    }
    return refusal(404, "there is nothing here");
  }

  ListenAddress address_;
  ServerSource source_;
  std::string token_;
  std::optional<HttpServer> server_;  // calls this object
};

Server::Server(const ListenAddress& address, ServerSource source)
    : impl_(std::make_unique<Impl>(address, std::move(source))) {}

Server::~Server() = default;

const ListenAddress& Server::address() const { return impl_->address(); }

std::string Server::url() const { return impl_->url(); }

}  // namespace firm
