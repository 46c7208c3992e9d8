// Parts: how the sites and slices of a study are spread over processes.
//
// A part is one site with all slices, or with some of them when there are more processes than
// sites. It is solved by itself; parts with the same slices exchange sums, all of them votes and
// norms.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/study.h"

namespace firm {

struct Part {
  std::size_t site = 0;
  std::size_t group = 0;  // of slices
  std::size_t first = 0;  // slice
  std::size_t slices = 0;

  bool operator==(const Part&) const = default;
};

// Up to as many processes as sites: sites are dealt out. More: a multiple of the number of sites,
// and the slices are cut into as many groups. Throws firm::Error (kUsage) where that does not work.
// The result has one list for each process; none is empty.
std::vector<std::vector<Part>> spread_parts(std::size_t sites, std::size_t slices,
                                            std::size_t processes);

// "xrf-2", or "xrf-2-slices-8" from slice 8 on; unique within a run.
std::string part_name(const Study& study, const Part& part);

}  // namespace firm
