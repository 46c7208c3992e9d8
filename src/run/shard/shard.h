// Shard: some sites and some slices of a study, solved as one piece.
//
// A run on one machine is one shard. With little memory it is several, one after another, each with
// all sites and some slices (chunks). `--separate` and `--mpi` solve shards of one site each, side
// by side. A site of a federation is a shard whose sums come from elsewhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/slice_range.h"
#include "firm/study.h"

namespace firm {

struct Shard {
  std::vector<std::size_t> sites = {};  // indices into Study::sites, ascending
  SliceRange slices = {};
  std::size_t group = 0;  // index of its group of slices

  bool has(std::size_t site) const {
    return std::find(sites.begin(), sites.end(), site) != sites.end();
  }
  bool operator==(const Shard&) const = default;
};

// Name of a shard of one site, for files: "xrf-2", or "xrf-2-slices-8" for slices from 8 on.
std::string shard_name(const Study& study, const Shard& shard);

}  // namespace firm
