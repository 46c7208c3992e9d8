// Goodness of fit of a solution.
#include <algorithm>

#include "firm/solution.h"

namespace firm {

std::optional<double> SiteSummary::fit() const {
  if (!(noise_scale > 0)) return {};
  return residual / noise_scale;
}

std::optional<bool> Summary::fits() const {
  std::optional<bool> all;
  for (const SiteSummary& site : sites) {
    const std::optional<double> fit = site.fit();
    if (fit) all = all.value_or(true) && *fit <= kMissed;
  }
  return all;
}

}  // namespace firm
