// The HTTP server of a dashboard. docs/dashboard.md has its requests.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "live/address.h"

namespace firm {

// What the server asks for. All are called from several threads.
struct ServerSource {
  std::function<std::string()> document;  // JSON
  std::function<void()> document_sent;    // may be empty
  std::function<std::string()> images;    // JSON; empty: none
  std::function<std::string()> metrics;   // may be empty: there are none
  // "pause", "resume", "stop"; false when the run is over. May be empty: nothing can be done.
  std::function<bool(const std::string& command)> control;
  // Writes server-sent events with `write`, until it answers false or there are no more.
  std::function<void(const std::function<bool(const std::string&)>& write)> events;
};

class Server {
 public:
  // Listens at once; throws firm::Error (kNetwork) when it cannot.
  Server(const ListenAddress& address, ServerSource source);
  ~Server();

  const ListenAddress& address() const;
  // With what follows "#", which allows to control the run.
  std::string url() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firm
