// Merges the results of shards: side by side within a stage, and one stage after another.
#pragma once

#include <string>
#include <vector>

#include "run/shard/shard_result.h"

namespace firm {

// All shards of a stage as one shard with all sites: images and variables in the order of a Problem
// that hosts them. Shards of a stage have exchanged sums, so that rounds, objective and certificate
// are those of the first one; per-site numbers come from the shards. `study` has all slices of the
// stage. A fingerprint is empty where no shard has seen all slices of a site.
ShardResult merge_side_by_side(const Study& study, std::vector<ShardResult> results);

// Stages as one run. Stages share no pixel: rounds are the most of any; times, exchanges, bytes and
// objectives add up; residuals, errors and the certificate are those of the whole; the termination
// is that of the first stage that has not converged, else of the last.
Summary merge_in_turn(const std::vector<ShardResult>& stages);

// Images of stages, read from their files when they are asked for.
RunImages merge_images(const std::vector<std::string>& files,
                       const std::vector<ShardResult>& stages, const ImageGrid& grid);

}  // namespace firm
