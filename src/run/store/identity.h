// Identity of a run: text stored in a checkpoint, so that it is not used for another run.
#pragma once

#include <string>
#include <vector>

#include "firm/options.h"
#include "firm/study.h"

namespace firm {

// Returns the SHA-256 of values, or of all numbers of a geometry.
std::string fingerprint(const Block& block);
// Returns the SHA-256 of values and of their weights, if any.
std::string fingerprint(const SiteData& data);
std::string fingerprint(const Geometry& geometry);

// Returns lines that identify version, options, study and data. `fingerprints`: hash of each site's
// data, empty if unknown here. Stop rules and the number of threads are not part of it.
std::string run_identity(const Study& study, const SolveOptions& options,
                         const std::vector<std::string>& fingerprints);

}  // namespace firm
