// summary.json and the lines of history.jsonl. docs/formats.md lists the keys.
#pragma once

#include <string>
#include <vector>

#include "solve/solver.h"

namespace firm {

// One line, without the line's end. `names` of the hosted variables.
std::string history_line(const RoundRecord& record, const std::vector<std::string>& names);

// What a summary needs to know about a run besides its result.
struct RunFacts {
  std::string study;  // its name
  SolveOptions options;
  std::vector<std::string> fingerprints;  // SHA-256 of each site's data
};

// The whole summary.
std::string summary_json(const Summary& summary, const RunFacts& facts);
// What the same input always gives: no times, no number of threads.
std::string reproducible_summary_json(const Summary& summary, const RunFacts& facts);

}  // namespace firm
