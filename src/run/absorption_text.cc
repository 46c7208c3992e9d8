#include "run/absorption_text.h"

#include <fmt/format.h>

namespace firm {

std::string absorption_round_text(const AbsorptionSummary& round) {
  std::string text = fmt::format("self-absorption, round {}", round.outer_rounds);
  for (const AbsorptionSummary::Site& site : round.sites) {
    if (site.masses.empty()) continue;
    const char* before = &site == &round.sites.front() ? ": masses " : ", ";
    text += fmt::format("{}{} {:.3g} g", before, site.name, site.masses.back());
  }
  return text;
}

std::string kept_text(const AbsorptionSummary& absorption) {
  std::string text;
  for (const AbsorptionSummary::Site& site : absorption.sites) {
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", site.name,
                        100 * site.kept_fraction());
  }
  return text;
}

}  // namespace firm
