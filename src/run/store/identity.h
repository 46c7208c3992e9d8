// What a run is: the text that a checkpoint carries, so that it is not used for another run.
#pragma once

#include <string>
#include <vector>

#include "firm/options.h"
#include "firm/study.h"

namespace firm {

// SHA-256 of values, or of all numbers of a geometry.
std::string fingerprint(const Block& block);
// Of values, and of their weights where there are any.
std::string fingerprint(const SiteData& data);
std::string fingerprint(const Geometry& geometry);

// Lines that tell version, options, study and data apart. `fingerprints`: of each site's data,
// empty where it is not known here. Rules that decide only when to stop are not part of it, nor is
// the number of threads.
std::string run_identity(const Study& study, const SolveOptions& options,
                         const std::vector<std::string>& fingerprints);

}  // namespace firm
