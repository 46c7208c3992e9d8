#include "federation/transport/grpc_log.h"

#include <fmt/format.h>
#include <grpc/support/log.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "federation/secure/peer_text.h"
#include "federation/transport/grpc_notes.h"

namespace firm {
namespace {

struct Listeners {
  std::mutex mutex;
  std::map<const GrpcLog*, std::function<void(const std::string&)>> all;
  // Other lines. Some repeat what a peer has sent, such as "Error parsing metadata: ... value=...".
  LimitedNotes others{20, std::chrono::seconds(10), [](const std::string& line) {
                        std::fputs(fmt::format("gRPC: {}\n", peer_text(line)).c_str(), stderr);
                      }};
};

// Never destroyed: threads of gRPC outlive main.
Listeners& listeners() {
  static auto* const all = new Listeners;
  return *all;
}

constexpr std::string_view kWrongName = "No match found for server name";

bool is_handshake_failure(const std::string& message) {
  return message.starts_with("Handshake failed") || message.starts_with(kWrongName);
}

// "... SSL_ERROR_SSL: error:0A0000C7:SSL routines::peer did not return a certificate." becomes
// "peer did not return a certificate".
// Does not repeat the name that a client asked for, since the client can choose any text.
std::string reason_in(std::string message) {
  if (message.starts_with(kWrongName)) return "it asked for a name that is not in the certificate";
  constexpr std::string_view kBefore = "routines::";
  const std::size_t at = message.find(kBefore);
  if (at != std::string::npos) message.erase(0, at + kBefore.size());
  while (message.ends_with('.')) message.pop_back();
  // OpenSSL knows the exact reason, but gRPC does not pass it on.
  if (message == "certificate verify failed") {
    message +=
        ": it has expired, is not valid yet, or is of another authority; the site's log says "
        "which";
  }
  return message;
}

// A peer that hangs up while its connection is handed to gRPC.
bool is_hang_up(const std::string& message) { return message.starts_with("Failed getpeername"); }

void forward(gpr_log_func_args* args) {
  const std::string message = args->message;
  if (is_hang_up(message)) return;
  Listeners& l = listeners();
  if (!is_handshake_failure(message)) return l.others.note(message);
  const std::lock_guard lock(l.mutex);
  for (const auto& [log, on_refused] : l.all) {
    if (on_refused) on_refused(reason_in(message));
  }
}

}  // namespace

GrpcLog::GrpcLog(std::function<void(const std::string&)> on_refused) {
  Listeners& l = listeners();
  const std::lock_guard lock(l.mutex);
  if (l.all.empty()) gpr_set_log_function(forward);
  l.all.emplace(this, std::move(on_refused));
}

GrpcLog::~GrpcLog() {
  Listeners& l = listeners();
  const std::lock_guard lock(l.mutex);
  l.all.erase(this);
  if (l.all.empty()) gpr_set_log_function(nullptr);
}

}  // namespace firm
