#include "io/inspect/transmission_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firm {

std::string warn_transmission_values(const ValueStatistics& values,
                                     std::vector<double> outer_means) {
  std::erase_if(outer_means, [](double mean) { return !std::isfinite(mean); });
  if (outer_means.empty()) return "";
  const auto middle = outer_means.begin() + static_cast<std::ptrdiff_t>(outer_means.size() / 2);
  std::nth_element(outer_means.begin(), middle, outer_means.end());
  const bool one_beside = std::abs(*middle - 1) < 0.15;
  const bool lower_inside = values.mean < 0.98 * *middle && values.min < 0.9 * *middle;
  if (!one_beside || !lower_inside || values.max > 1.5 || values.min < -0.1) return "";
  return fmt::format(
      "as XRT: the values look like transmissions, {:.3g} in the outermost beamlets and lower "
      "inside: set minus_log = true and normalize = \"none\"",
      *middle);
}

}  // namespace firm
