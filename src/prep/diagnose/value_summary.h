// Numbers that summarise the prepared values of a site, for warnings.
#pragma once

#include <cstddef>

#include "firm/study.h"

namespace firm {

struct ValueSummary {
  std::size_t count = 0;  // usable values
  double noise = 0;       // of one value
  // Quantiles of the usable values.
  double lowest = 0;   // 1 %
  double low = 0;      // 10 %
  double high = 0;     // 90 %
  double highest = 0;  // 99 %
  // The outermost beamlets on each side, which objects usually leave free.
  std::size_t outer_count = 0;  // usable values there
  double outer = 0;             // their median
  double outer_spread = 0;      // half the distance of their quantiles 16 % and 84 %
  double outer_difference = 0;  // of the medians at the right and at the left

  // Whether the outermost values are the same everywhere, up to noise, and differ from 0.
  bool level_beside() const;
  double largest() const;  // size of the 1 % and 99 % quantiles
};

ValueSummary summarize_values(const Site& site, const SiteData& data);

}  // namespace firm
