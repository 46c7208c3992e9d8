// The HTTP server of a dashboard. docs/dashboard.md lists its requests.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "live/address.h"
#include "live/http_message.h"

namespace firm {

// Functions that answer the requests. All must be thread-safe.
struct ServerSource {
  std::function<std::string()> document;  // JSON
  std::function<void()> document_sent;    // optional
  std::function<std::string()> images;    // JSON; empty text: none
  std::function<std::string()> metrics;   // optional: without it there is no /metrics
  // "pause", "resume" or "stop"; returns false when the run is over. Optional: without it a run
  // cannot be controlled.
  std::function<bool(const std::string& command)> control;
  std::function<std::unique_ptr<EventStream>()> events;  // for one more page
};

class Server {
 public:
  // Listens at once; throws firm::Error (kNetwork) if it cannot.
  Server(const ListenAddress& address, ServerSource source);
  ~Server();

  const ListenAddress& address() const;
  // Address with the token, if there is one, after "#".
  std::string url() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firm
