#include "io/quantity.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>
#include <span>

namespace firm {
namespace {

struct Unit {
  const char* name;
  double size;
};

constexpr Unit kLengths[] = {{"nm", 1e-7},
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
                             {"meter", 100}};
constexpr Unit kEnergies[] = {{"eV", 1e-3}, {"keV", 1}, {"MeV", 1e3}};
constexpr Unit kMassAttenuations[] = {
    {"cm^2/g", 1}, {"cm2/g", 1}, {"cm\u00b2/g", 1}, {"m^2/kg", 10}, {"m2/kg", 10}};
constexpr double kRadian = 180 / std::numbers::pi;
constexpr Unit kAngles[] = {{"deg", 1},          {"degree", 1},    {"degrees", 1},
                            {"\u00b0", 1},       {"rad", kRadian}, {"radian", kRadian},
                            {"radians", kRadian}};

std::span<const Unit> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kLength:
      return kLengths;
    case Dimension::kEnergy:
      return kEnergies;
    case Dimension::kMassAttenuation:
      return kMassAttenuations;
    case Dimension::kAngle:
      break;
  }
  return kAngles;
}

}  // namespace

std::optional<double> unit_size(Dimension dimension, const std::string& name) {
  for (const Unit& unit : units_of(dimension)) {
    if (name == unit.name) return unit.size;
  }
  return {};
}

std::string unit_names(Dimension dimension) {
  switch (dimension) {
    case Dimension::kLength:
      return "nm, um, mm, cm, m";
    case Dimension::kEnergy:
      return "eV, keV, MeV";
    case Dimension::kMassAttenuation:
      return "cm^2/g, m^2/kg";
    case Dimension::kAngle:
      break;
  }
  return "deg, rad";
}

// The number times the unit, as the readers of data files compute it: so equal texts there and here
// are equal lengths.
std::optional<double> parse_quantity(Dimension dimension, const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc()) return {};
  const char* name = rest;
  while (name != end && *name == ' ') ++name;
  const std::optional<double> unit = unit_size(dimension, std::string(name, end));
  if (!unit || !std::isfinite(number * *unit)) return {};
  return number * *unit;
}

std::optional<double> length_unit(const std::string& name) {
  return unit_size(Dimension::kLength, name);
}

std::optional<double> parse_length(const std::string& text) {
  return parse_quantity(Dimension::kLength, text);
}

// 12 digits, because 0.65e-4 / 1e-4 is not quite 0.65.
std::string length_text(double cm) { return fmt::format("{:.12g} um", cm / kMicrometre); }

std::string exact_length_text(double cm) {
  const std::string text = length_text(cm);
  return parse_length(text) == cm ? text : fmt::format("{} cm", cm);
}

}  // namespace firm
