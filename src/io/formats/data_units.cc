#include "io/formats/data_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "io/study/quantity.h"

namespace firm {

bool is_unit_of_counts(std::string unit) {
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array kCounts = {"counts",         "count",     "cts",         "cps",
                                  "cts/s",          "counts/s",  "count/s",     "counts/sec",
                                  "cts/sec",        "c/s",       "cnts",        "cnts/s",
                                  "counts_per_sec", "adu",       "photons",     "photon",
                                  "photon/s",       "photons/s", "photons/sec", "hz"};
  return std::ranges::find(kCounts, unit) != kCounts.end();
}

XrfUnit xrf_unit(const std::string& unit) {
  if (const auto size = unit_size(Dimension::kAreaDensity, unit)) return {*size, ""};
  if (is_unit_of_counts(unit)) {
    return {1, fmt::format("the data is in {}: a study needs scale = \"auto\", or the number that "
                           "converts it to g/cm^2, which firm calibrate finds",
                           unit)};
  }
  const std::string what = unit.empty()
                               ? "the data has no unit"
                               : fmt::format("the unit \"{}\" of the data is unknown", unit);
  return {1, what +
                 "; its values are used as g/cm^2. Set scale = 1 if they are, or the scale that "
                 "converts them (firm calibrate finds it)"};
}

std::string warn_scale(const std::string& unit, double scale) {
  if (scale != 1 || !is_unit_of_counts(unit)) return "";
  return fmt::format(
      "the data is in {}, but scale = 1 takes it for g/cm^2; firm calibrate finds the factor",
      unit);
}

std::string warn_logarithms(const std::string& unit) {
  constexpr std::array kNone = {"", "1", "none", "unitless", "dimensionless"};
  if (std::ranges::find(kNone, unit) != kNone.end()) return "";
  return fmt::format(
      "the unit \"{}\" of the data is not that of a logarithm; because minus_log = false its "
      "values "
      "are used as -log(transmission)",
      unit);
}

}  // namespace firm
