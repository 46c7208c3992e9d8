// A client of a dashboard.
#pragma once

#include <httplib.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace firm {

// Asks the dashboard whose address a program has printed.
class DashboardClient {
 public:
  explicit DashboardClient(const std::string& printed) {
    const std::string mark = "http://";
    const std::size_t begin = printed.find(mark);
    const std::size_t end = printed.find_first_of("/#\n", begin + mark.size());
    address_ = printed.substr(begin, end - begin);
    const std::size_t token = printed.find("#token=");
    if (token != std::string::npos) token_ = printed.substr(token + 7, 32);
  }

  const std::string& address() const { return address_; }
  const std::string& token() const { return token_; }

  httplib::Result get(const std::string& path, const httplib::Headers& headers = {}) {
    return client().Get(path, headers);
  }
  nlohmann::json json(const std::string& path) {
    const httplib::Result result = get(path);
    return result ? nlohmann::json::parse(result->body) : nlohmann::json();
  }
  // Empty when there is no answer.
  nlohmann::json live() {
    const nlohmann::json document = json("/api/document");
    if (!document.is_object()) return nlohmann::json::object();
    return document.value("live", nlohmann::json::object());
  }
  // The status of the answer; 0: none.
  int post(const std::string& path, const std::string& token) {
    const httplib::Result result =
        client().Post(path, {{"Authorization", "Bearer " + token}}, "", "text/plain");
    return result ? result->status : 0;
  }
  int command(const std::string& name) { return post("/api/" + name, token_); }

  // Server-sent events, until `enough` says so; their names and data.
  using Events = std::vector<std::pair<std::string, nlohmann::json>>;
  Events events(const std::function<bool(const Events&)>& enough) {
    Events all;
    std::string text;
    client().Get("/api/events", [&](const char* data, std::size_t size) {
      text.append(data, size);
      for (std::size_t end = 0; (end = text.find("\n\n")) != std::string::npos;) {
        take(text.substr(0, end), all);
        text.erase(0, end + 2);
      }
      return !enough(all);
    });
    return all;
  }

 private:
  static void take(const std::string& event, Events& all) {
    const std::size_t data = event.find("\ndata: ");
    if (!event.starts_with("event: ") || data == std::string::npos) return;
    all.emplace_back(event.substr(7, data - 7), nlohmann::json::parse(event.substr(data + 7)));
  }
  httplib::Client client() const {
    httplib::Client client(address_);
    client.set_read_timeout(60);
    return client;
  }

  std::string address_;
  std::string token_;
};

}  // namespace firm
