// What a part of a run has found, and how the results of all parts become one.
#pragma once

#include <string>
#include <vector>

#include "run/shard/part_rounds.h"
#include "run/shard/parts.h"
#include "solve/solver.h"

namespace firm {

struct PartResult {
  Part part;
  Solution solution;
  std::vector<Variable> variables;
  std::string fingerprint;  // of the site's data
  PartRounds rounds = PartRounds();
};

// Of a site whose slices were solved in parts: what `more` tells of some goes into `site`.
void add_slices(const SiteSummary& more, SiteSummary& site);

// To bytes and back, without what is the same for all parts.
std::string to_bytes(const std::vector<PartResult>& results);
std::vector<PartResult> results_from(const std::string& bytes);

// Round `k` of all parts.
JoinedRound join_round(const std::vector<PartResult>& results, std::size_t k);

// All parts as one: images and variables in the order of a Problem that hosts all sites.
struct JoinedResult {
  Solution solution;
  std::vector<Variable> variables;
  std::vector<std::string> fingerprints;  // of each site's data
};
// `study` is the whole one; `common` has what is the same for all parts.
JoinedResult join(const Study& study, const Summary& common,
                  const std::vector<PartResult>& results);

}  // namespace firm
