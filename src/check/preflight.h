// Preflight: checks a study and its set-up before a run, for `firm check`.
//
// Makes every check that the arguments allow, also after one has failed. Leaves no files behind and
// does not disturb a run in progress at the coordinator.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "check/machine.h"
#include "firm/error.h"
#include "run/store/run_directory.h"
#include "run/study_inputs.h"

namespace firm {

// Arguments of `firm recon`, `firm site` and `firm coordinator`; empty ones are not checked.
struct PreflightArguments {
  std::string study;   // file
  std::string name;    // of the site; empty: coordinator, or all sites in one process
  std::string data;    // file of the site; default: the one named in the study
  std::string pki;     // directory
  std::string server;  // HOST:PORT that the site connects to
  std::string listen;  // HOST:PORT that the coordinator listens on
  std::string out;     // directory
  std::string truth;   // file
  KeyValues settings;
  // Arguments of `firm recon` alone.
  std::optional<std::uint64_t> max_memory;  // bytes
  RunDirectory::Start start = RunDirectory::Start::kNew;
  bool insecure = false;
  bool allow_two = false;
  bool publish = false;

  bool site() const { return !name.empty(); }
  bool coordinator() const { return !site() && !(listen.empty() && pki.empty()); }
  bool federated() const { return site() || coordinator() || !server.empty(); }
};

struct Finding {
  enum class Level { kOk, kWarning, kError };

  Level level = Level::kOk;
  std::string subject;                     // "study", "data of xrf-1"
  std::string text;                        // what was found; for an error, also what was expected
  std::string fix;                         // what to do; empty: nothing
  Error::Kind kind = Error::Kind::kUsage;  // of an error
};

using OnFinding = std::function<void(const Finding&)>;

// Reports each finding as it is made. Returns the exit code: the largest of those of the errors (2
// study, 3 data, memory or disk, 4 certificates or network), 0 without errors.
int preflight(const PreflightArguments& arguments, const Machine& machine,
              const OnFinding& on_finding);

}  // namespace firm
