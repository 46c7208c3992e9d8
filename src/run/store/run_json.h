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

// Returns one line without its newline. `names`: hosted variables; `chunk`: for a run in several
// chunks.
std::string history_line(const RoundRecord& record, const std::vector<std::string>& names,
                         std::optional<std::size_t> chunk = {});

// Facts about a site of a federation.
struct FederationFacts {
  std::string run;
  std::uint32_t attempt = 0;
  std::size_t sites = 0;
  bool secure = true;
  std::uint64_t messages = 0;  // messages sent by the site, from its ledger
  std::uint64_t bytes = 0;
};

// Facts about one chunk of a run in several.
struct ChunkFacts {
  SliceRange slices;
  Summary summary;
  std::vector<std::string> fingerprints;
};

// Facts about a run that a summary needs in addition to its result.
struct RunFacts {
  std::string study;  // its name
  SolveOptions options;
  std::vector<std::string> fingerprints;  // SHA-256 of each site's data
  std::optional<FederationFacts> federation = {};
  std::vector<ChunkFacts> chunks = {};  // if there are several; they then hold the fingerprints
  std::vector<std::pair<std::string, double>> phases = {};  // names and seconds
  std::vector<std::string> preparations = {};               // for each site's data, as JSON
  std::vector<std::string> warnings = {};                   // of data and fit, for people
};

// Returns one JSON object.
std::string preparation_json(const PreparationReport& report);

// `prior` of the summary.
nlohmann::ordered_json prior_json(const PriorSummary& prior);
// The keys `outer_rounds`, `masses`, `kept_fraction` and `absorption` of the summary.
nlohmann::ordered_json absorption_json(const AbsorptionSummary& absorption);

// Returns every option with its value.
nlohmann::ordered_json options_json(const SolveOptions& options);

// Returns the whole summary, with the date.
std::string summary_json(const Summary& summary, const RunFacts& facts);
// Returns the reproducible part of the summary: no times, no number of threads.
std::string reproducible_summary_json(const Summary& summary, const RunFacts& facts);

}  // namespace firm
