#include "live/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace firm {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 409:
      return "Conflict";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Takes the next line off `rest`, without its end.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::optional<std::size_t> head_length(std::string_view bytes) {
  for (const std::string_view end : {"\r\n\r\n", "\n\n"}) {
    const std::size_t at = bytes.find(end);
    if (at != std::string_view::npos) return at + end.size();
  }
  return {};
}

std::optional<HttpRequest> parse_head(std::string_view head) {
  const std::string_view first = next_line(head);
  const std::size_t path = first.find(' ');
  const std::size_t version = first.rfind(' ');
  if (path == std::string_view::npos || version <= path + 1 || first[path + 1] != '/' ||
      !first.substr(version + 1).starts_with("HTTP/1.")) {
    return {};
  }
  HttpRequest request;
  request.method = first.substr(0, path);
  request.path = first.substr(path + 1, version - path - 1);
  request.path.resize(std::min(request.path.size(), request.path.find('?')));
  while (!head.empty()) {
    const std::string_view line = next_line(head);
    if (line.empty()) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return {};
    // The first one counts: a second Host or Authorization is nothing that a browser sends.
    request.headers.try_emplace(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return request;
}

std::string head_of(const HttpResponse& response) {
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\n"
      "Connection: close\r\n"
      "Cache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "X-Frame-Options: DENY\r\n",
      response.status, reason_of(response.status));
  if (response.events || response.body) text += fmt::format("Content-Type: {}\r\n", response.type);
  if (!response.events) {
    text += fmt::format("Content-Length: {}\r\n", response.body ? response.body->size() : 0);
  }
  return text + "\r\n";
}

}  // namespace firm
