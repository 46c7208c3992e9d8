#include "federation/transport/grpc_log.h"

#include <fmt/format.h>
#include <grpc/support/log.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

namespace firm {
namespace {

struct Listeners {
  std::mutex mutex;
  std::map<const GrpcLog*, std::function<void(const std::string&)>> all;
};

// Never destroyed: threads of gRPC outlive main.
Listeners& listeners() {
  static auto* const all = new Listeners;
  return *all;
}

constexpr std::string_view kWrongName = "No match found for server name";

bool is_about_a_handshake(const std::string& said) {
  return said.starts_with("Handshake failed") || said.starts_with(kWrongName);
}

// "... SSL_ERROR_SSL: error:0A0000C7:SSL routines::peer did not return a certificate." becomes
// "peer did not return a certificate".
// The name that a client has asked for is its own choice, and not repeated.
std::string reason_in(std::string said) {
  if (said.starts_with(kWrongName)) return "it asked for a name that is not in the certificate";
  constexpr std::string_view kBefore = "routines::";
  const std::size_t at = said.find(kBefore);
  if (at != std::string::npos) said.erase(0, at + kBefore.size());
  while (said.ends_with('.')) said.pop_back();
  // OpenSSL knows more, but gRPC does not tell.
  if (said == "certificate verify failed") {
    said +=
        ": one that has expired, is not valid yet, or is of another authority; the site's log "
        "tells which";
  }
  return said;
}

void hand_over(gpr_log_func_args* args) {
  const std::string said = args->message;
  if (!is_about_a_handshake(said)) {
    std::fputs(fmt::format("gRPC: {}\n", said).c_str(), stderr);
    return;
  }
  Listeners& l = listeners();
  const std::lock_guard lock(l.mutex);
  for (const auto& [log, on_refused] : l.all) {
    if (on_refused) on_refused(reason_in(said));
  }
}

}  // namespace

GrpcLog::GrpcLog(std::function<void(const std::string&)> on_refused) {
  Listeners& l = listeners();
  const std::lock_guard lock(l.mutex);
  if (l.all.empty()) gpr_set_log_function(hand_over);
  l.all.emplace(this, std::move(on_refused));
}

GrpcLog::~GrpcLog() {
  Listeners& l = listeners();
  const std::lock_guard lock(l.mutex);
  l.all.erase(this);
  if (l.all.empty()) gpr_set_log_function(nullptr);
}

}  // namespace firm
