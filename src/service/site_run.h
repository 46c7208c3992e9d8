// One site of a federation, from its data file to its own images: what `firm site` does.
//
// The site dials the coordinator, and again whenever the connection is lost; it goes on from its
// checkpoints until its results are complete. Its measurements and its image stay in `out`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "federation/transport/grpc_limits.h"
#include "federation/protocol/ledger.h"
#include "federation/protocol/site_state.h"
#include "run/run_callbacks.h"
#include "run/study_inputs.h"
#include "solve/solver.h"

namespace firm {

struct SiteArguments {
  std::string study;   // file
  std::string name;    // of the site
  std::string data;    // file; empty: the study's
  std::string server;  // HOST:PORT
  std::string pki;     // directory with ca.crt, NAME.crt, NAME.key
  std::string out;     // run directory; an earlier run in it is gone on with
  std::string truth;   // file; empty: none
  KeyValues settings;
  bool insecure = false;   // takes part without masks
  bool allow_two = false;  // takes part with one other site only
  bool publish = false;    // sends its image to the coordinator
  double keepalive_seconds = kKeepaliveSeconds;
};

// What a site has sent, and how far it is.
struct SiteTraffic {
  std::map<std::string, Ledger::Sums> sent;  // by kind of message
  std::uint64_t sums = 0;                    // of this attempt
  std::uint32_t attempt = 0;
};

// All may be empty; `interrupted` is also asked from another thread.
struct SiteCallbacks : RunCallbacks {
  std::function<void(SiteState)> on_state;
  std::function<void(const SiteTraffic&)> on_traffic;  // after every round
};

struct SiteResult {
  bool complete = false;                     // false: interrupted; the same call goes on
  std::optional<Summary> summary;            // when the results were made in this call
  std::vector<std::string> files;            // of results
  std::map<std::string, Ledger::Sums> sent;  // by kind of message, of the whole ledger
};

// Throws firm::Error; kNetwork when the coordinator refuses this site.
SiteResult run_site(const SiteArguments& arguments, const SiteCallbacks& callbacks);

}  // namespace firm
