// Runs one site of a federation, from its data file to its own images, for `firm site`.
//
// The site connects to the coordinator, reconnects whenever the connection is lost, and resumes
// from its checkpoints until its results are complete. Its measurements stay where they are, and
// its image stays in `out` unless it publishes it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "federation/protocol/ledger.h"
#include "federation/protocol/site_state.h"
#include "federation/transport/grpc_limits.h"
#include "run/run_callbacks.h"
#include "run/study_inputs.h"
#include "solve/solver.h"

namespace firm {

struct SiteArguments {
  std::string study;   // file
  std::string name;    // of the site
  std::string data;    // file; default: the one named in the study
  std::string server;  // HOST:PORT
  std::string pki;     // directory with ca.crt, NAME.crt, NAME.key
  std::string out;     // run directory; resumes an earlier run found there
  std::string truth;   // file with the true images; may be empty
  KeyValues settings;
  bool insecure = false;     // take part even if shares are not masked
  bool allow_two = false;    // take part with only one other site
  bool publish = false;      // send the image to the coordinator at the end
  bool keep_shares = false;  // in out/shares, to open commitments
  double keepalive_seconds = kKeepaliveSeconds;
};

// Messages sent by a site, and its progress.
struct SiteTraffic {
  std::map<std::string, Ledger::Sums> sent;  // by kind of message
  std::uint64_t sums = 0;                    // completed in this attempt
  std::uint32_t attempt = 0;
};

// All may be empty; `interrupted` is also called from another thread.
struct SiteCallbacks : RunCallbacks {
  std::function<void(SiteState)> on_state;
  std::function<void(const SiteTraffic&)> on_traffic;  // after every round
};

struct SiteResult {
  bool complete = false;                     // false: interrupted; the same call resumes the run
  std::optional<Summary> summary;            // if this call has computed the results
  std::vector<std::string> files;            // result files
  std::map<std::string, Ledger::Sums> sent;  // by kind of message, over the whole ledger
};

// Throws firm::Error; kNetwork when the coordinator refuses this site.
SiteResult run_site(const SiteArguments& arguments, const SiteCallbacks& callbacks);

}  // namespace firm
