// Requests and responses of HTTP, as far as a dashboard needs them: no bodies of requests, and one
// request per connection.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace firm {

struct HttpRequest {
  std::string method;
  std::string path;                            // without what follows '?'
  std::map<std::string, std::string> headers;  // names in lower case

  // Empty if there is none.
  std::string header(const std::string& name) const;
};

// Server-sent events for one page.
class EventStream {
 public:
  struct Events {
    std::string text;   // in the format of server-sent events; empty: nothing new
    bool last = false;  // no more events will follow
  };

  virtual ~EventStream() = default;
  // Returns at once what has happened since the last call.
  virtual Events next() = 0;
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::shared_ptr<const std::string> body = {};
  // Called when the body has been sent, or cannot be. Optional.
  std::function<void()> sent = {};
  // Follow the headers instead of a body. Optional.
  std::unique_ptr<EventStream> events = {};
};

// Length of the first line and the headers, with the empty line at their end; nothing while that is
// missing.
std::optional<std::size_t> head_length(std::string_view bytes);
// Returns nothing if it is not the head of an HTTP request.
std::optional<HttpRequest> parse_head(std::string_view head);

// First line and headers of a response.
std::string head_of(const HttpResponse& response);

}  // namespace firm
