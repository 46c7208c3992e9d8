// Runs the coordinator of a federation, from its study file to the end of the run, for `firm
// coordinator`. It sees no measurements and, with secure aggregation, no sums.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "federation/protocol/coordinator.h"
#include "federation/transport/grpc_limits.h"
#include "firm/options.h"
#include "io/study/study_file.h"
#include "run/study_inputs.h"

namespace firm {

struct CoordinatorArguments {
  std::string study;   // file
  std::string listen;  // HOST:PORT; port 0 selects a free one
  std::string pki;     // directory with ca.crt, coordinator.crt, coordinator.key
  std::string out;     // directory; resumes an earlier run found there
  KeyValues settings;
  bool secure = true;
  bool allow_two = false;  // allow secure aggregation of only two sites
  double checkpoint_seconds = 10;
  double keepalive_seconds = kKeepaliveSeconds;
};

// All may be empty.
struct CoordinatorCallbacks {
  std::function<void(const StudyFile&, const SolveOptions&)> on_start;
  std::function<void(const std::string& line)> on_event;
  std::function<void(int port)> on_listening;
  std::function<void(std::uint64_t exchanges)> on_exchange;
  // Called ten times a second.
  std::function<void(const CoordinatorView&)> on_view;
  std::function<bool()> paused;
  std::function<bool()> interrupted;
};

struct CoordinatorResult {
  bool complete = false;      // false: interrupted; the same call resumes the run
  bool was_complete = false;  // the run was complete before this call
  std::string run;
  // Totals of the run over all calls.
  std::uint32_t attempts = 0;
  std::uint64_t exchanges = 0;
  double seconds = 0;
  std::vector<CoordinatorView::Peer> sites;
};

// Throws firm::Error; kUsage when the method needs more than the sums that secure aggregation
// gives.
CoordinatorResult run_coordinator(const CoordinatorArguments& arguments,
                                  const CoordinatorCallbacks& callbacks);

}  // namespace firm
