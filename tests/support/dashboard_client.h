// HTTP client of the dashboard of a run.
#pragma once

#include <httplib.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace firm {

class DashboardClient {
 public:
  // Finds address and token in what the program has printed.
  explicit DashboardClient(const std::string& printed);

  const std::string& address() const { return address_; }
  const std::string& token() const { return token_; }

  httplib::Result get(const std::string& path, const httplib::Headers& headers = {});
  // Null without an answer.
  nlohmann::json json(const std::string& path);
  // State of the running run; empty without an answer.
  nlohmann::json live();
  // HTTP status; 0 without an answer.
  int post(const std::string& path, const std::string& token);
  int command(const std::string& name) { return post("/api/" + name, token_); }

  // Names and data of server-sent events, received until `enough` returns true.
  using Events = std::vector<std::pair<std::string, nlohmann::json>>;
  Events events(const std::function<bool(const Events&)>& enough);

 private:
  httplib::Client client() const;

  std::string address_;
  std::string token_;
};

}  // namespace firm
