// What a sum over sites consists of, each part measured alone in this process.
#pragma once

#include <string>
#include <vector>

namespace firm {

struct SumPart {
  std::string name;
  double seconds;  // of one site, or of the coordinator for all
};

std::vector<SumPart> parts_at_site(std::size_t words, std::size_t sites, const std::string& ledger);
std::vector<SumPart> parts_at_coordinator(std::size_t words, std::size_t sites);

}  // namespace firm
