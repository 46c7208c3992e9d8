#include "io/inspect/study_suggestion.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/files/folder.h"
#include "io/files/image_file.h"
#include "io/formats/data_units.h"
#include "io/inspect/survey.h"
#include "io/study/quantity.h"

namespace firm {
namespace {

// A quoted TOML string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

class Lines {
 public:
  void fact(const std::string& assignment, const std::string& comment = "") {
    lines_.push_back({assignment, comment, false});
  }
  // A guess where there is a reason, else a fact.
  void guess(const std::string& assignment, const std::string& why) {
    lines_.push_back({assignment, why, !why.empty()});
  }

  std::vector<StudyLine> take() { return std::move(lines_); }

 private:
  std::vector<StudyLine> lines_;
};

// Why values must be masked; empty: they need not be.
std::string bad_values(const Inspection& r, const SiteGuess& guess) {
  for (const FieldReport& f : r.fields) {
    if (f.values.nan + f.values.infinite > 0) return "there are NaN or infinite values";
  }
  if (!r.missing.empty()) return "there are frames that are 0 throughout";
  if (!guess.minus_log) return "";
  const ValueStatistics& data = r.fields.front().values;
  if (data.zero + data.negative > 0) return "there are values of 0 or less";
  if (r.has_dark && data.min <= r.fields[1 + (r.has_white ? 1 : 0)].values.mean) {
    return "there are counts at or below those of the dark frames";
  }
  if (r.has_monitor && r.fields.back().values.min <= 0) {
    return "there are values of the monitor of 0 or less";
  }
  return "";
}

void add_source(const Inspection& r, Lines& lines) {
  const ScanRequest& request = r.request;
  lines.fact("data = " + quoted(r.file));
  if (!r.element.empty()) lines.fact("element = " + quoted(r.element));
  if (!request.angles.empty()) lines.fact("angles = " + quoted(request.angles));
  if (!request.angle_unit.empty()) lines.fact("angle_unit = " + quoted(request.angle_unit));
  if (!request.axes.empty()) lines.fact("axes = " + quoted(request.axes));
  const std::string monitor = request.monitor + request.monitor_file;  // at most one is set
  if (!monitor.empty()) lines.fact("monitor = " + quoted(monitor));
}

void add_xrf(const Inspection& r, const SiteGuess& guess, Lines& lines) {
  if (guess.element.empty()) {
    lines.fact("# compound = \"Fe\"", "fill in: the element, or the compound it is in");
  } else if (r.element.empty()) {
    lines.guess("compound = " + quoted(guess.element),
                guess.element_why.empty() ? "" : "a guess: " + guess.element_why);
  }
  const std::string& unit = r.fields.front().units;
  if (xrf_unit(unit).warning.empty()) return;
  const ValueStatistics& v = r.fields.front().values;
  const bool counts = v.fractional + v.negative == 0 && v.zero < v.count;
  if (!counts && !is_unit_of_counts(unit)) {
    lines.guess("scale = 1.0",
                fmt::format("to g/cm^2; the data {}: firm calibrate finds the factor",
                            unit.empty() ? "has no unit" : "is in " + unit));
    return;
  }
  lines.guess("scale = \"auto\"",
              fmt::format("a guess: the data {}; found in the run, or by firm calibrate",
                          unit.empty() ? "has no unit, but whole numbers" : "is in " + unit));
}

void add_xrt(const Inspection& r, const SiteGuess& guess, Lines& lines) {
  lines.guess(fmt::format("minus_log = {}", guess.minus_log), guess.minus_log_why);
  if (guess.normalize.empty()) return;
  lines.guess("normalize = " + quoted(guess.normalize), guess.normalize_why);
  if (guess.normalize != "air") return;
  lines.guess(fmt::format("air = {}", outer_beamlets(r.beamlets)),
              "a guess: beamlets at each end that the object never covers");
}

void add_noise(const Inspection& r, const SiteGuess& guess, Lines& lines) {
  const bool counts = guess.minus_log && r.has_white && r.fields.front().units == "counts";
  lines.fact(fmt::format("sigma = \"{}\"", counts ? "counts" : "estimate"),
             counts ? "noise, from the counts" : "noise, from the values");
}

}  // namespace

std::string suggested_site_name(const Inspection& r) {
  std::string name = std::filesystem::path(name_of_file(r.file)).stem().string();
  if (!r.element.empty()) name += "-" + r.element;
  for (char& c : name) {
    const bool usable = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!usable) c = '-';
  }
  if (name.empty() || name[0] == '.') name = "site" + name;
  return is_site_name(name) && name != "other" ? name : name + "-1";
}

std::vector<StudyLine> study_lines(const StudyFacts& facts) {
  Lines lines;
  lines.fact("name = " + quoted(facts.name));
  if (!facts.xrf) lines.fact("other = true", "XRT alone: matter that no XRF site measures");
  if (facts.energy) {
    lines.fact(fmt::format("energy = \"{} keV\"", *facts.energy), "of the XRT beam");
  } else if (facts.xrf) {
    lines.fact("# energy = \"12 keV\"", "fill in: of the XRT beam");
  }
  return lines.take();
}

std::vector<StudyLine> image_lines(const StudyFacts& facts) {
  Lines lines;
  lines.guess(fmt::format("rows = {}", facts.side), facts.side_why);
  lines.fact(fmt::format("columns = {}", facts.side));
  lines.fact(fmt::format("slices = {}", facts.slices));
  if (facts.pixel_size) {
    lines.fact("pixel_size = " + quoted(exact_length_text(*facts.pixel_size)));
  } else {
    lines.fact("# pixel_size = \"1 um\"", "fill in: not in the data");
  }
  return lines.take();
}

SiteLines site_lines(const Inspection& r, const SiteGuess& guess) {
  SiteLines site{suggested_site_name(r), {}};
  Lines lines;
  lines.guess("kind = " + quoted(guess.kind), guess.kind_why);
  add_source(r, lines);
  if (guess.kind == "xrf") {
    add_xrf(r, guess, lines);
  } else {
    add_xrt(r, guess, lines);
  }
  add_noise(r, guess, lines);
  if (const std::string bad = bad_values(r, guess); !bad.empty()) {
    lines.guess("bad_values = \"mask\"", bad);
  }
  if (!r.rotation_axis) {
    lines.guess("rotation_axis = \"auto\"", "not in the file: found in the data");
  }
  site.lines = lines.take();
  return site;
}

std::string text_of(const std::vector<StudyLine>& lines) {
  std::string text;
  for (const StudyLine& line : lines) {
    text += line.comment.empty() ? line.assignment
                                 : fmt::format("{:<31} # {}", line.assignment, line.comment);
    text += "\n";
  }
  return text;
}

std::string suggested_study(const Inspection& r) {
  const SiteGuess guess = guess_site(r);
  const SiteLines site = site_lines(r, guess);
  StudyFacts facts;
  facts.name = site.name;
  facts.pixel_size = r.spacing;
  facts.side = r.beamlets;
  facts.slices = r.slices;
  facts.xrf = guess.kind == "xrf";
  std::string text = "[study]\n" + text_of(study_lines(facts)) + "\n[image]\n" +
                     text_of(image_lines(facts)) + "\n[[site]]\n" +
                     text_of({{"name = " + quoted(site.name)}}) + text_of(site.lines);
  if (facts.xrf) {
    text += "\n# A study also needs the [[site]] of the XRT data; firm init FILE... writes all.\n";
  }
  return text;
}

}  // namespace firm
