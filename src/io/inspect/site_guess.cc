#include "io/inspect/site_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/files/folder.h"
#include "io/inspect/name_hints.h"
#include "io/inspect/transmission_values.h"
#include "io/study/quantity.h"
#include "physics/attenuation.h"

namespace firm {
namespace {

// Even a weak object lowers the mean of counts below the edges by this factor.
constexpr double kShadow = 0.995;
constexpr double kMonitorTolerance = 0.05;

std::string stem_of(const Inspection& r) {
  return std::filesystem::path(name_of_file(r.file)).stem().string();
}

const ValueStatistics& values_of(const Inspection& r) { return r.fields.front().values; }

std::string range_text(const Inspection& r) {
  return fmt::format("values from {:.3g} to {:.3g}, {:.3g} at the edges", values_of(r).min,
                     values_of(r).max, r.edge);
}

TransmissionLevels levels_of(const Inspection& r) {
  return transmission_levels(values_of(r), r.edge);
}

// The beam beside an object is brighter than behind it.
bool have_bright_edges(const Inspection& r) {
  const ValueStatistics& v = values_of(r);
  return r.edge > 0 && v.mean < kShadow * r.edge && v.max < 2 * r.edge;
}

// Element in the name of the file, the dataset or the title, and where it was found.
void find_element(const Inspection& r, SiteGuess& guess) {
  if (const auto element = element_of_channel(r.element)) {
    guess.element = *element;
    return;
  }
  const std::pair<std::string, std::string> names[] = {
      {stem_of(r), "the name of the file"},
      {r.fields.front().path, fmt::format("the dataset {}", r.fields.front().path)},
      {r.title, fmt::format("the title \"{}\"", r.title)}};
  for (const auto& [name, where] : names) {
    const std::optional<std::string> element = element_in_name(name);
    if (!element) continue;
    guess.element = *element;
    guess.element_why = where;
    return;
  }
}

bool mentions(const Inspection& r, bool (*says)(const std::string&)) {
  return says(stem_of(r)) || says(r.title);
}

SiteGuess guess_xrf(const Inspection& r, const std::string& why) {
  SiteGuess guess;
  guess.kind = "xrf";
  guess.kind_why = why;
  find_element(r, guess);
  return guess;
}

// How values become -log(transmission).
void guess_logarithm(const Inspection& r, SiteGuess& guess) {
  const std::string& units = r.fields.front().units;
  if (units == "1") {
    guess.minus_log_why = "the unit of the data is 1";
    return;
  }
  guess.minus_log = true;
  if (r.has_white) {
    guess.minus_log_why = "the data is counts, with white frames";
  } else if (r.has_monitor) {
    guess.minus_log_why = "the data is counts, with a monitor";
    if (r.edge_to_monitor && std::abs(*r.edge_to_monitor - 1) > kMonitorTolerance &&
        have_bright_edges(r)) {
      guess.normalize = "air";
      guess.normalize_why =
          fmt::format("{:.3g} times the monitor beside the object, not once", *r.edge_to_monitor);
    }
  } else if (!have_bright_edges(r) && !look_like_transmissions(levels_of(r))) {
    guess.minus_log = false;
    guess.minus_log_why = fmt::format("a guess: {}, as logarithms have", range_text(r));
  } else if (in_range_of_transmissions(levels_of(r))) {
    guess.minus_log_why = fmt::format("a guess: {}, as transmissions have", range_text(r));
    guess.normalize = "none";
    guess.normalize_why = "a guess: the data is transmissions";
  } else {
    guess.minus_log_why = fmt::format("a guess: {}, as counts have", range_text(r));
    guess.normalize = "air";
    guess.normalize_why = "a guess: there are neither white frames nor a monitor";
  }
}

}  // namespace

SiteGuess guess_xrt(const Inspection& r, const std::string& why) {
  SiteGuess guess;
  guess.kind = "xrt";
  guess.kind_why = why;
  guess_logarithm(r, guess);
  return guess;
}

SiteGuess guess_site(const Inspection& r) {
  const std::string& units = r.fields.front().units;
  if (element_of_channel(r.element)) return guess_xrf(r, "");
  if (!r.element.empty()) return guess_xrt(r, "a counter beside the spectra");
  if (r.has_white) return guess_xrt(r, "");
  if (unit_size(Dimension::kAreaDensity, units)) return guess_xrf(r, "");
  if (units == "1") return guess_xrt(r, "");
  if (mentions(r, names_transmission)) return guess_xrt(r, "a guess: the name says so");
  const bool named_xrf = mentions(r, names_fluorescence);
  if (!named_xrf && look_like_transmissions(levels_of(r))) {
    return guess_xrt(r, fmt::format("a guess: {}, as transmissions have", range_text(r)));
  }
  if (!named_xrf && have_bright_edges(r)) {
    return guess_xrt(r, fmt::format("a guess: {}, brighter than the mean", range_text(r)));
  }
  SiteGuess xrf = guess_xrf(r, "");
  if (!xrf.element.empty()) {
    xrf.kind_why = fmt::format("a guess: {} names an element", xrf.element_why);
    return xrf;
  }
  if (named_xrf) {
    xrf.kind_why = "a guess: the name says so";
    return xrf;
  }
  if (r.has_monitor) return guess_xrt(r, "a guess: there is a monitor");
  xrf.kind_why = "a guess: there are neither white frames nor a monitor";
  xrf.open = true;
  return xrf;
}

}  // namespace firm
