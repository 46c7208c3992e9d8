// Parts of a sum over sites, each measured separately in this process.
#pragma once

#include <string>
#include <vector>

namespace firm {

struct SumPart {
  std::string name;
  double seconds;  // for one site, or at the coordinator for all sites
};

std::vector<SumPart> parts_at_site(std::size_t words, std::size_t sites, const std::string& ledger);
std::vector<SumPart> parts_at_coordinator(std::size_t words, std::size_t sites);

}  // namespace firm
