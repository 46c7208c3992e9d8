#include "support/dashboard_client.h"

namespace firm {
namespace {

void append_event(const std::string& event, DashboardClient::Events& all) {
  const std::size_t data = event.find("\ndata: ");
  if (!event.starts_with("event: ") || data == std::string::npos) return;
  all.emplace_back(event.substr(7, data - 7), nlohmann::json::parse(event.substr(data + 7)));
}

}  // namespace

DashboardClient::DashboardClient(const std::string& printed) {
  const std::string scheme = "http://";
  const std::size_t begin = printed.find(scheme);
  const std::size_t end = printed.find_first_of("/#\n", begin + scheme.size());
  address_ = printed.substr(begin, end - begin);
  const std::size_t token = printed.find("#token=");
  if (token != std::string::npos) token_ = printed.substr(token + 7, 32);
}

httplib::Client DashboardClient::client() const {
  httplib::Client client(address_);
  client.set_read_timeout(60);
  return client;
}

httplib::Result DashboardClient::get(const std::string& path, const httplib::Headers& headers) {
  return client().Get(path, headers);
}

nlohmann::json DashboardClient::json(const std::string& path) {
  const httplib::Result result = get(path);
  return result ? nlohmann::json::parse(result->body) : nlohmann::json();
}

nlohmann::json DashboardClient::live() {
  const nlohmann::json document = json("/api/document");
  if (!document.is_object()) return nlohmann::json::object();
  return document.value("live", nlohmann::json::object());
}

int DashboardClient::post(const std::string& path, const std::string& token) {
  const httplib::Result result =
      client().Post(path, {{"Authorization", "Bearer " + token}}, "", "text/plain");
  return result ? result->status : 0;
}

DashboardClient::Events DashboardClient::events(const std::function<bool(const Events&)>& enough) {
  Events all;
  std::string text;
  client().Get("/api/events", [&](const char* data, std::size_t size) {
    text.append(data, size);
    for (std::size_t end = 0; (end = text.find("\n\n")) != std::string::npos;) {
      append_event(text.substr(0, end), all);
      text.erase(0, end + 2);
    }
    return !enough(all);
  });
  return all;
}

}  // namespace firm
