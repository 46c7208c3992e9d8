#include "io/study/quantity.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "core/closest_name.h"

namespace firm {
namespace {

struct Unit {
  const char* name;
  double size;
};

constexpr Unit kLengths[] = {{"nm", 1e-7},
                             {"nanometer", 1e-7},
                             {"nanometers", 1e-7},
                             {"nanometre", 1e-7},
                             {"nanometres", 1e-7},
                             {"um", kMicrometre},
                             {"\u00b5m", kMicrometre},
                             {"\u03bcm", kMicrometre},
                             {"micron", kMicrometre},
                             {"microns", kMicrometre},
                             {"micrometer", kMicrometre},
                             {"micrometers", kMicrometre},
                             {"micrometre", kMicrometre},
                             {"micrometres", kMicrometre},
                             {"mm", 0.1},
                             {"millimeter", 0.1},
                             {"millimeters", 0.1},
                             {"millimetre", 0.1},
                             {"millimetres", 0.1},
                             {"cm", 1},
                             {"centimeter", 1},
                             {"centimeters", 1},
                             {"centimetre", 1},
                             {"centimetres", 1},
                             {"m", 100},
                             {"meter", 100},
                             {"meters", 100},
                             {"metre", 100},
                             {"metres", 100}};
constexpr Unit kEnergies[] = {{"eV", 1e-3}, {"keV", 1}, {"MeV", 1e3}};
constexpr Unit kMassAttenuations[] = {
    {"cm^2/g", 1}, {"cm2/g", 1}, {"cm\u00b2/g", 1}, {"m^2/kg", 10}, {"m2/kg", 10}};
// A mass over an area, as in "ug/cm^2".
constexpr Unit kMasses[] = {{"kg", 1e3},       {"g", 1},          {"mg", 1e-3}, {"ug", 1e-6},
                            {"\u00b5g", 1e-6}, {"\u03bcg", 1e-6}, {"ng", 1e-9}, {"pg", 1e-12}};
constexpr Unit kAreas[] = {{"m", 1e4}, {"cm", 1}, {"mm", 1e-2}, {"um", 1e-8}};
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
    case Dimension::kAreaDensity:
      return {};
    case Dimension::kAngle:
      break;
  }
  return kAngles;
}

// "ug/cm^2", "ug/cm2", "ug cm^-2", ...; ignores blanks.
std::optional<double> area_density(std::string name) {
  std::erase(name, ' ');
  for (const Unit& mass : kMasses) {
    for (const Unit& area : kAreas) {
      for (const char* form : {"/{}^2", "/{}2", "/{}\u00b2", "/{}**2", "{}^-2", "{}-2", "{}**-2"}) {
        const std::string per = fmt::format(fmt::runtime(form), area.name);
        if (name == mass.name + per) return mass.size / area.size;
      }
    }
  }
  return {};
}

struct Parts {
  double number = 0;
  std::string digits;  // of the number, as written
  std::string unit;
};

std::optional<Parts> split(const std::string& text) {
  Parts parts;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, parts.number);
  if (failure != std::errc()) return {};
  parts.digits.assign(text.data(), rest);
  const char* unit = rest;
  while (unit != end && *unit == ' ') ++unit;
  parts.unit.assign(unit, end);
  return parts;
}

}  // namespace

std::optional<double> unit_size(Dimension dimension, const std::string& name) {
  if (dimension == Dimension::kAreaDensity) return area_density(name);
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
    case Dimension::kAreaDensity:
      return "g/cm^2, mg/cm^2, ug/cm^2, ng/mm^2, kg/m^2, ...";
    case Dimension::kAngle:
      break;
  }
  return "deg, rad";
}

// Number times unit, computed as the readers of data files do: equal texts give equal lengths.
std::optional<double> parse_quantity(Dimension dimension, const std::string& text) {
  const std::optional<Parts> parts = split(text);
  if (!parts) return {};
  const std::optional<double> unit = unit_size(dimension, parts->unit);
  if (!unit || !std::isfinite(parts->number * *unit)) return {};
  return parts->number * *unit;
}

std::optional<std::string> closest_quantity(Dimension dimension, const std::string& text) {
  const std::optional<Parts> parts = split(text);
  if (!parts) return {};
  std::vector<std::string> known;
  for (const Unit& unit : units_of(dimension)) known.emplace_back(unit.name);
  const std::optional<std::string> unit = closest_name(parts->unit, known);
  if (!unit) return {};
  return fmt::format("{} {}", parts->digits, *unit);
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
