#include "io/study/study_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <tuple>

#include "io/files/pending_file.h"
#include "io/study/quantity.h"

namespace firm {
namespace {

// A TOML value. The library quotes and escapes texts, but would write the float 0.1 with 17 digits.
std::string literal(const std::string& text) {
  std::ostringstream out;
  out << toml::toml_formatter(toml::value<std::string>(text), toml::format_flags::none);
  return out.str();
}
std::string literal(double value) {
  const std::string digits = fmt::format("{}", value);
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}
std::string literal(int value) { return fmt::format("{}", value); }
std::string literal(bool value) { return value ? "true" : "false"; }
std::string literal(const PerAngle& numbers) {
  if (!numbers.file.empty()) return literal(numbers.file);
  std::string text;
  for (const double value : numbers.values) {
    text += (text.empty() ? "" : ", ") + literal(value);
  }
  return "[" + text + "]";
}
std::string literal(const std::map<std::string, double>& shares) {
  std::string text;
  for (const auto& [element, share] : shares) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", literal(element), literal(share));
  }
  return "{ " + text + " }";
}

template <typename T>
std::string line(const char* key, const T& value, const char* comment = "") {
  const std::string assignment = fmt::format("{} = {}", key, literal(value));
  if (*comment == '\0') return assignment + "\n";
  return fmt::format("{:<31} # {}\n", assignment, comment);
}

std::string study_table(const StudyFile& s) {
  std::string text = "[study]\n";
  text += line("name", s.name);
  text += line("description", s.description);
  if (!s.truth.empty()) text += line("truth", s.truth, "to compare a reconstruction with");
  if (s.other) text += line("other", s.other, "there is matter that XRF does not see");
  if (s.energy > 0) text += line("energy", fmt::format("{} keV", s.energy), "of the XRT beam");
  if (s.self_absorption) text += line("self_absorption", true);
  if (s.attenuation != "elements") text += line("attenuation", s.attenuation);
  if (!s.matrix.empty()) text += line("matrix", s.matrix, "matter that XRF does not see");
  return text;
}

std::string image_table(const StudyFile& s) {
  std::string text = "\n[image]\n";
  text += line("rows", s.rows);
  text += line("columns", s.columns);
  text += line("slices", s.slices);
  text += line("pixel_size", exact_length_text(s.pixel_size));
  if (s.slice_spacing) text += line("slice_spacing", exact_length_text(*s.slice_spacing));
  return text;
}

std::string source_lines(const SiteEntry& s) {
  std::string text = line("data", s.data);
  if (!s.element.empty()) text += line("element", s.element, "the one to read");
  if (!s.angles.empty()) text += line("angles", s.angles);
  if (!s.angle_unit.empty()) text += line("angle_unit", s.angle_unit);
  if (!s.axes.empty()) text += line("axes", s.axes);
  if (!s.monitor.empty()) text += line("monitor", s.monitor);
  if (s.first_slice > 0) text += line("first_slice", s.first_slice);
  if (s.binning > 1) text += line("binning", s.binning);
  if (s.external_files) text += line("external_files", true);
  return text;
}

std::string physics_lines(const SiteEntry& s) {
  std::string text;
  if (!s.compound.empty()) text += line("compound", s.compound);
  if (s.coefficient > 0) text += line("coefficient", s.coefficient, "cm^2/g");
  if (!s.coupled) text += "coupled = false\n";
  if (s.noise == Noise::kCounts) text += line("sigma", std::string("counts"));
  if (s.noise == Noise::kEstimated) text += line("sigma", std::string("estimate"));
  if (s.noise == Noise::kGiven && s.sigma) {
    text += line("sigma", *s.sigma, "noise, in the unit of the data");
  }
  return text;
}

std::string fluorescence_lines(const FluorescenceKeys& f) {
  const auto energy = [](double kev) { return fmt::format("{} keV", kev); };
  std::string text;
  if (!f.line.empty()) text += line("line", f.line);
  if (f.line_energy) text += line("line_energy", energy(*f.line_energy));
  if (f.energy) text += line("energy", energy(*f.energy), "of the beam");
  if (!f.detector_side.empty()) text += line("detector_side", f.detector_side);
  if (f.beam_direction != "+") text += line("beam_direction", f.beam_direction);
  if (f.detector_distance)
    text += line("detector_distance", exact_length_text(*f.detector_distance));
  if (f.detector_diameter)
    text += line("detector_diameter", exact_length_text(*f.detector_diameter));
  return text;
}

std::string geometry_lines(const SiteEntry& s) {
  std::string text;
  if (s.spacing) text += line("spacing", exact_length_text(*s.spacing), "between beamlets");
  if (s.find_rotation_axis) text += line("rotation_axis", std::string("auto"));
  if (s.rotation_axis) {
    text += line("rotation_axis", *s.rotation_axis,
                 "beamlets; the middle of the detector is beamlets / 2");
  }
  if (s.axis_search) text += line("axis_search", *s.axis_search, "beamlets");
  if (s.shift_x != 0 || s.shift_y != 0) {
    text += fmt::format("shift = [{}, {}]\n", literal(exact_length_text(s.shift_x)),
                        literal(exact_length_text(s.shift_y)));
  }
  if (!s.shifts.empty()) text += line("shifts", s.shifts, "beamlets, one for each angle");
  if (!s.shifts_vertical.empty()) {
    text += line("shifts_vertical", s.shifts_vertical, "slices, one for each angle");
  }
  if (s.angle_scale != 1) text += line("angle_scale", s.angle_scale);
  if (s.angle_offset != 0) text += line("angle_offset", fmt::format("{} deg", s.angle_offset));
  if (s.reverse_angles) text += line("reverse_angles", true, "the sign, after angle_offset");
  return text;
}

std::string preparation_lines(const SiteEntry& s) {
  const Preparation& p = s.prepare;
  std::string text;
  if (p.saturation) text += line("saturation", *p.saturation);
  if (p.zingers) text += line("zingers", *p.zingers);
  if (p.normalize != "auto") text += line("normalize", p.normalize);
  if (p.air > 0) text += line("air", p.air, "beamlets");
  if (!p.gain.empty()) text += line("gain", p.gain, "of the beam, one for each angle");
  if (p.lag) text += line("lag", *p.lag, "beamlets");
  if (p.clip_low) text += line("clip_low", *p.clip_low);
  if (p.clip_high) text += line("clip_high", *p.clip_high);
  if (s.kind == "xrt") {
    text += line("minus_log", p.minus_log,
                 p.minus_log ? "the data is counts" : "the logarithm is already taken");
  }
  if (p.bad_values != "error") text += line("bad_values", p.bad_values);
  if (p.rings > 0) text += line("rings", p.rings, "beamlets");
  if (!p.unmix.empty()) text += line("unmix", p.unmix, "shares of the counts of others");
  if (p.find_scale) text += line("scale", std::string("auto"));
  if (p.scale) text += line("scale", *p.scale, "to g/cm^2");
  return text;
}

std::string site_table(const SiteEntry& s) {
  std::string text = "\n[[site]]\n";
  text += line("name", s.name);
  text += line("kind", s.kind);
  if (!s.scan.empty()) text += line("scan", s.scan);
  text += source_lines(s) + physics_lines(s) + fluorescence_lines(s.fluorescence);
  text += geometry_lines(s) + preparation_lines(s);
  if (!s.key.empty()) text += line("key", s.key, "of its certificate");
  return text;
}

template <typename T>
std::optional<T> parse_all(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || rest != end) return {};
  return value;
}

// Writes a setting as a number or truth value only if that reads back as the same text: "1e3" and
// "007" stay texts.
std::string setting_literal(const std::string& value) {
  if (value == "true" || value == "false") return value;
  if (const auto whole = parse_all<long long>(value)) {
    if (fmt::format("{}", *whole) == value) return value;
  }
  if (const auto number = parse_all<double>(value)) {
    if (std::isfinite(*number) && fmt::format("{}", *number) == value) return literal(*number);
  }
  return literal(value);
}

std::string setting_line(const Setting& setting) {
  std::string text;
  if (setting.key == "stop.discrepancy") {
    text = "# Stop when every site fits its data as well as noise of this level allows.\n";
  }
  return text + fmt::format("{} = {}\n", setting.key, setting_literal(setting.value));
}

std::string solve_table(const StudyFile& s) {
  if (s.settings.empty()) return "";
  std::string first;
  std::string others;
  for (const Setting& setting : s.settings) {
    (setting.key == "method" ? first : others) += setting_line(setting);
  }
  return "\n[solve]\n" + first + others;
}

}  // namespace

std::vector<std::string*> file_names(SiteEntry& site) {
  std::vector<std::string*> names = {&site.data, &site.angles, &site.shifts.file,
                                     &site.shifts_vertical.file, &site.prepare.gain.file};
  if (!site.monitor.starts_with('/')) names.push_back(&site.monitor);
  std::erase_if(names, [](const std::string* name) { return name->empty(); });
  return names;
}

bool operator==(const SiteEntry& a, const SiteEntry& b) {
  const auto members = [](const SiteEntry& s) {
    return std::tie(s.name, s.kind, s.scan, s.data, s.element, s.angles, s.angle_unit, s.axes,
                    s.monitor, s.first_slice, s.binning, s.compound, s.coefficient, s.coupled,
                    s.fluorescence, s.noise, s.sigma, s.spacing, s.rotation_axis,
                    s.find_rotation_axis, s.axis_search, s.shift_x, s.shift_y, s.shifts,
                    s.shifts_vertical, s.angle_scale, s.angle_offset, s.reverse_angles, s.prepare,
                    s.external_files, s.key);
  };
  return members(a) == members(b);
}

bool operator==(const Setting& a, const Setting& b) { return a.key == b.key && a.value == b.value; }

bool operator==(const StudyFile& a, const StudyFile& b) {
  const auto members = [](const StudyFile& s) {
    return std::tie(s.name, s.description, s.truth, s.other, s.energy, s.self_absorption,
                    s.attenuation, s.matrix, s.rows, s.columns, s.slices, s.pixel_size,
                    s.slice_spacing, s.sites);
  };
  return members(a) == members(b) && std::ranges::is_permutation(a.settings, b.settings);
}

std::string study_text(const StudyFile& study) {
  std::string text = "# A FIRM study. File names are relative to this file.\n\n";
  text += study_table(study);
  text += image_table(study);
  for (const SiteEntry& site : study.sites) text += site_table(site);
  text += solve_table(study);
  return text;
}

void write_study(const std::string& path, const StudyFile& study) {
  write_text_file(path, study_text(study));
}

}  // namespace firm
