#include "run/shard/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "firm/error.h"

namespace firm {

std::vector<std::vector<Part>> spread_parts(std::size_t sites, std::size_t slices,
                                            std::size_t processes) {
  FIRM_CHECK(sites > 0 && slices > 0 && processes > 0);
  std::vector<std::vector<Part>> parts(processes);
  if (processes <= sites) {
    for (std::size_t i = 0; i < sites; ++i) parts[i % processes].push_back({i, 0, 0, slices});
    return parts;
  }
  const std::size_t groups = processes / sites;
  if (processes % sites != 0 || groups > slices) {
    throw usage_error({"mpirun", "-n",
                       fmt::format("1 to {}, or a multiple of {} up to {}: {} sites, {} slices",
                                   sites, sites, sites * slices, sites, slices),
                       fmt::format("{} processes", processes)});
  }
  for (std::size_t rank = 0; rank < processes; ++rank) {
    const std::size_t group = rank / sites;
    const std::size_t first = group * slices / groups;
    parts[rank].push_back({rank % sites, group, first, (group + 1) * slices / groups - first});
  }
  return parts;
}

std::string part_name(const Study& study, const Part& part) {
  const std::string& site = study.sites.at(part.site).name;
  return part.first == 0 ? site : fmt::format("{}-slices-{}", site, part.first);
}

}  // namespace firm
