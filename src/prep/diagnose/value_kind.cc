#include "prep/diagnose/value_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/inspect/transmission_values.h"

namespace firm {

ValueKind kind_of_values(const ValueSummary& v, bool minus_log) {
  if (minus_log) {  // transmissions are largest beside the object, logarithms smallest
    constexpr double kDarker = 0.5;
    const bool dark_beside = v.outer - v.low > std::max(kDarker, 5 * v.noise);
    return dark_beside && v.high < v.outer + kDarker ? ValueKind::kLogarithms
                                                     : ValueKind::kPlausible;
  }
  constexpr double kNoLogarithm = 30;  // a beam of 1e13 photons leaves one
  if (v.highest > kNoLogarithm) return ValueKind::kCounts;
  const double least = std::max(0.03, 5 * v.noise);
  if (look_like_transmissions({v.outer, v.low, v.noise, v.lowest, v.highest, v.noise})) {
    return ValueKind::kTransmissions;
  }
  if (v.low < v.outer - least && v.low < -3 * std::abs(v.highest) && v.low < -3 * v.noise) {
    return ValueKind::kNegative;
  }
  return ValueKind::kPlausible;
}

std::string warn_kind(const ValueSummary& v, bool minus_log) {
  switch (kind_of_values(v, minus_log)) {
    case ValueKind::kPlausible:
      break;
    case ValueKind::kCounts:
      return fmt::format(
          "values up to {:.4g} are no logarithms of a transmission, but look like counts: set "
          "minus_log = true",
          v.highest);
    case ValueKind::kTransmissions:
      return fmt::format(
          "the values look like transmissions, not their logarithms: about {:.3g} in the outermost "
          "beamlets, lower inside; set minus_log = true and normalize = \"none\"",
          v.outer);
    case ValueKind::kNegative:
      return fmt::format(
          "most values are below 0, down to {:.3g}: logarithms without the minus sign?", v.lowest);
    case ValueKind::kLogarithms:
      return fmt::format(
          "before the logarithm the values are smaller in the outermost beamlets than inside, "
          "{:.2g} "
          "and {:.2g}: if they are logarithms already, set minus_log = false",
          std::exp(-v.outer), std::exp(-v.low));
  }
  return "";
}

}  // namespace firm
