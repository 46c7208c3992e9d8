#include "io/study_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <sstream>

#include "io/length.h"
#include "io/pending_file.h"

namespace firm {
namespace {

// A TOML value. The library quotes and escapes texts; floats it would write with 17 digits, so that
// 0.1 would not look like 0.1.
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
  return text;
}

std::string image_table(const StudyFile& s) {
  std::string text = "\n[image]\n";
  text += line("rows", s.rows);
  text += line("columns", s.columns);
  text += line("slices", s.slices);
  text += line("pixel_size", length_text(s.pixel_size));
  return text;
}

std::string site_table(const SiteEntry& s) {
  std::string text = "\n[[site]]\n";
  text += line("name", s.name);
  text += line("kind", s.kind);
  text += line("data", s.data);
  if (s.kind == "xrf") text += line("coefficient", s.coefficient, "cm^2/g");
  text += line("spacing", length_text(s.spacing), "between beamlets");
  text += line("rotation_axis", s.rotation_axis,
               "beamlets; the middle of the detector is beamlets / 2");
  if (s.kind == "xrt") {
    text += line("minus_log", s.minus_log,
                 s.minus_log ? "the data is counts" : "the logarithm is already taken");
  }
  return text;
}

std::string solve_table(const StudyFile& s) {
  std::string text = "\n[solve]\n";
  text += line("method", s.method);
  if (s.discrepancy > 0) {
    text += "# Stop when every site fits its data as well as noise of this level allows.\n";
    text += fmt::format("stop = {{ discrepancy = {} }}\n", literal(s.discrepancy));
  }
  return text;
}

}  // namespace

void write_study(const std::string& path, const StudyFile& study) {
  std::string text = "# A FIRM study. File names are relative to this file.\n\n";
  text += study_table(study);
  text += image_table(study);
  for (const SiteEntry& site : study.sites) text += site_table(site);
  text += solve_table(study);
  write_text_file(path, text);
}

}  // namespace firm
