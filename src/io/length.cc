#include "io/length.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace firm {
namespace {

constexpr std::array<std::pair<const char*, double>, 11> kUnits = {{{"nm", 1e-7},
                                                                    {"um", kMicrometre},
                                                                    {"\u00b5m", kMicrometre},
                                                                    {"micron", kMicrometre},
                                                                    {"microns", kMicrometre},
                                                                    {"micrometer", kMicrometre},
                                                                    {"micrometers", kMicrometre},
                                                                    {"mm", 0.1},
                                                                    {"cm", 1},
                                                                    {"m", 100},
                                                                    {"meter", 100}}};

}  // namespace

std::optional<double> length_unit(const std::string& name) {
  for (const auto& [known, cm] : kUnits) {
    if (name == known) return cm;
  }
  return {};
}

// 12 digits, because 0.65e-4 / 1e-4 is not quite 0.65.
std::string length_text(double cm) { return fmt::format("{:.12g} um", cm / kMicrometre); }

}  // namespace firm
