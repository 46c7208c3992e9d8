// summary.json and the lines of history.jsonl. docs/formats.md lists the keys.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/slice_range.h"
#include "prep/report.h"
#include "solve/solver.h"

namespace firm {

std::vector<std::string> names_of(const std::vector<Variable>& variables);

// One line, without the line's end. `names` of the hosted variables; `chunk` of a run in several.
std::string history_line(const RoundRecord& record, const std::vector<std::string>& names,
                         std::optional<std::size_t> chunk = {});

// Of a site of a federation.
struct FederationFacts {
  std::string run;
  std::uint32_t attempt = 0;
  std::size_t sites = 0;
  bool secure = true;
  std::uint64_t messages = 0;  // that have left the site, according to its ledger
  std::uint64_t bytes = 0;
};

// Of a run in several chunks: one of them.
struct ChunkFacts {
  SliceRange slices;
  Summary summary;
  std::vector<std::string> fingerprints;
};

// What a summary needs to know about a run besides its result.
struct RunFacts {
  std::string study;  // its name
  SolveOptions options;
  std::vector<std::string> fingerprints;  // SHA-256 of each site's data
  std::optional<FederationFacts> federation = {};
  std::vector<ChunkFacts> chunks = {};  // of several; the fingerprints are then here
  std::vector<std::pair<std::string, double>> phases = {};  // of the run, and their seconds
  std::vector<std::string> preparations = {};               // of each site's data, as JSON
};

// One object.
std::string preparation_json(const PreparationReport& report);

// Every option, with its value.
nlohmann::ordered_json options_json(const SolveOptions& options);

// The whole summary, with the date.
std::string summary_json(const Summary& summary, const RunFacts& facts);
// What the same input always gives: no times, no number of threads.
std::string reproducible_summary_json(const Summary& summary, const RunFacts& facts);

}  // namespace firm
