// Goodness of fit of a solution.
#include <algorithm>
#include <cmath>

#include "firm/solution.h"

namespace firm {

std::optional<double> SiteSummary::fit() const {
  if (!(noise_scale > 0)) return {};
  return residual / noise_scale;
}

std::optional<double> SiteSummary::fit_alone() const {
  if (!residual_alone || !(noise_scale > 0)) return {};
  return *residual_alone / noise_scale;
}

std::optional<double> SiteSummary::others_share() const {
  if (!residual_alone || !(residual > 0)) return {};
  const double ratio = *residual_alone / residual;
  return std::max(0.0, 1 - ratio * ratio);
}

// Pixels that are too coarse for the object cost a joint fit more than a fit alone, but only a
// small part of the largest value.
bool SiteSummary::contradicted() const {
  constexpr double kLeastPart = 0.01;
  const std::optional<double> alone = fit_alone();
  if (!alone) return false;
  const double factor = *alone > kMissed ? kContradictedAnyway : kContradicted;
  if (*fit() <= factor * std::max(1.0, *alone)) return false;
  return residual * std::sqrt(*others_share()) > kLeastPart * full_scale;
}

bool SiteSummary::missed() const { return fit().value_or(0) > kMissed || contradicted(); }

std::optional<bool> Summary::fits() const {
  std::optional<bool> all;
  for (const SiteSummary& site : sites) {
    if (site.fit()) all = all.value_or(true) && !site.missed();
  }
  return all;
}

}  // namespace firm
