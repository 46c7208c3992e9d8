// Merges the results of shards: side by side within a stage, and one stage after another.
#pragma once

#include <string>
#include <vector>

#include "run/shard/shard_result.h"

namespace firm {

// Merges all shards of a stage into one shard with all sites: images and variables in the order of
// a Problem that hosts them. Rounds, objective and certificate are equal in all shards of a stage
// and come from the first; per-site numbers come from each shard. `study` has all slices of the
// stage. A fingerprint is empty if no shard has all slices of the site.
ShardResult merge_side_by_side(const Study& study, std::vector<ShardResult> results);

// Merges stages into one run. Stages share no pixel: rounds are the maximum; times, exchanges,
// bytes and objectives add up; residuals, errors and the certificate are those of the whole; the
// termination is that of the first stage that has not converged, else of the last.
Summary merge_in_turn(const std::vector<ShardResult>& stages);

// Images of stages, read from their files on demand.
RunImages merge_images(const std::vector<std::string>& files,
                       const std::vector<ShardResult>& stages, const ImageGrid& grid);

}  // namespace firm
