// Preflight: what will go wrong in a run, found before it begins: what `firm check` does.
//
// Every check that the arguments allow is made, also after one has found something. Nothing is left
// behind, and a run that is under way at the coordinator does not notice.
#pragma once

#include <functional>
#include <string>

#include "firm/error.h"
#include "check/machine.h"
#include "run/study_inputs.h"

namespace firm {

// As those of `firm site` and `firm coordinator`; what is empty is not checked.
struct PreflightArguments {
  std::string study;   // file
  std::string name;    // of a site; empty: the coordinator, or all sites in one process
  std::string data;    // its file; empty: the study's
  std::string pki;     // directory
  std::string server;  // HOST:PORT that the site dials
  std::string listen;  // HOST:PORT that the coordinator listens on
  std::string out;     // directory
  std::string truth;   // file
  KeyValues settings;
  bool insecure = false;
  bool allow_two = false;
  bool publish = false;

  bool site() const { return !name.empty(); }
  bool coordinator() const { return !site() && !(listen.empty() && pki.empty()); }
  bool federated() const { return site() || coordinator() || !server.empty(); }
};

struct Finding {
  enum class Level { kOk, kWarning, kWrong };

  Level level = Level::kOk;
  std::string subject;  // "study", "data of xrf-1"
  std::string text;     // what there is; where it is wrong, what was expected and found
  std::string fix;      // empty where there is nothing to do
  Error::Kind kind = Error::Kind::kUsage;  // of what is wrong
};

using OnFinding = std::function<void(const Finding&)>;

// Tells each finding as it is made. Returns the exit code: the largest of those of what is wrong (2
// study, 3 data, memory or disk, 4 certificates or network), 0 when nothing is.
int preflight(const PreflightArguments& arguments, const Machine& machine,
              const OnFinding& on_finding);

}  // namespace firm
