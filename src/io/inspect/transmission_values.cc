#include "io/inspect/transmission_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

constexpr double kNearOne = 0.15;
constexpr double kErrors = 5;

}  // namespace

bool in_range_of_transmissions(const TransmissionLevels& v) {
  constexpr double kDark = 0.03;
  return v.lowest > -std::max(kDark, kErrors * v.noise) &&
         v.highest <
             std::clamp(v.beside, 1.0, 1 + kNearOne) + std::max(kNearOne, kErrors * v.noise);
}

bool look_like_transmissions(const TransmissionLevels& v) {
  constexpr double kShadow = 0.02;
  return in_range_of_transmissions(v) && std::abs(v.beside - 1) < kNearOne &&
         v.inside < v.beside - std::max(kShadow, kErrors * v.inside_error);
}

TransmissionLevels transmission_levels(const ValueStatistics& values, double outer) {
  constexpr double kExtremes = 0.1;  // noise and bad pixels: the extremes of many values
  return {outer, values.mean, 0, values.min, values.max, kExtremes};
}

std::string warn_transmission_values(const ValueStatistics& values, double outer) {
  if (!look_like_transmissions(transmission_levels(values, outer))) return "";
  return fmt::format(
      "as XRT: the values look like transmissions, {:.3g} in the outermost beamlets and lower "
      "inside: set minus_log = true and normalize = \"none\"",
      outer);
}

}  // namespace firm
