#include "io/length.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace firm {
namespace {

constexpr std::array<std::pair<const char*, double>, 12> kUnits = {{{"nm", 1e-7},
                                                                    {"um", kMicrometre},
                                                                    {"\u00b5m", kMicrometre},
                                                                    {"\u03bcm", kMicrometre},
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

// The number times the unit, as the readers of data files compute it: so equal texts there and here
// are equal lengths.
std::optional<double> parse_length(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc()) return {};
  const char* name = rest;
  while (name != end && *name == ' ') ++name;
  const std::optional<double> unit = length_unit(std::string(name, end));
  if (!unit || !std::isfinite(number * *unit)) return {};
  return number * *unit;
}

// 12 digits, because 0.65e-4 / 1e-4 is not quite 0.65.
std::string length_text(double cm) { return fmt::format("{:.12g} um", cm / kMicrometre); }

std::string exact_length_text(double cm) {
  const std::string text = length_text(cm);
  return parse_length(text) == cm ? text : fmt::format("{} cm", cm);
}

}  // namespace firm
