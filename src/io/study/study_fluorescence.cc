#include "io/study/study_fluorescence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/closest_name.h"
#include "firm/error.h"
#include "io/study/study_table.h"
#include "physics/attenuation.h"
#include "physics/fluorescence.h"

namespace firm {
namespace {

// An energy above 0; none if there is no such key.
std::optional<double> read_energy(const StudyTable& t, const std::string& key) {
  if (!t.has(key)) return {};
  const double energy = t.quantity(key, Dimension::kEnergy, "\"6.4 keV\"");
  if (energy > 0) return energy;
  throw t.error(key, "an energy above 0", t.text(key));
}

std::optional<double> read_length(const StudyTable& t, const std::string& key) {
  return t.has(key) ? std::optional<double>(t.length(key)) : std::nullopt;
}

void read_line(const StudyTable& t, FluorescenceKeys& f) {
  if (!t.has("line")) return;
  f.line = t.nonempty_text("line");
  if (t.has("line_energy")) throw t.error("line", "either line or line_energy", "both");
  if (fluorescence_line(f.line)) return;
  throw t.error("line",
                fmt::format("an element and one of its lines, as in \"Fe Ka\" ({})",
                            fmt::join(line_names(), ", ")),
                fmt::format("\"{}\"", f.line));
}

void read_detector(const StudyTable& t, FluorescenceKeys& f) {
  if (t.has("detector_side")) f.detector_side = t.choice("detector_side", {"+t", "-t"});
  if (t.has("beam_direction")) f.beam_direction = t.choice("beam_direction", {"+", "-"});
  f.detector_distance = read_length(t, "detector_distance");
  f.detector_diameter = read_length(t, "detector_diameter");
  if (f.detector_distance.has_value() != f.detector_diameter.has_value()) {
    throw t.error(f.detector_distance ? "detector_diameter" : "detector_distance",
                  "detector_distance and detector_diameter, or neither", "only one of them");
  }
}

// The line of a site; none if its beam excites no line of the element.
std::optional<FluorescenceLine> line_of(const SiteEntry& site, double incident) {
  if (!site.fluorescence.line.empty()) return fluorescence_line(site.fluorescence.line);
  return line_of_channel(site.element, incident);
}

// Makes errors about one site.
struct SiteErrors {
  const std::string& path;
  const StudyFile& study;
  const SiteEntry& site;

  Error operator()(const std::string& key, const std::string& expected,
                   const std::string& found) const {
    return usage_error({place(path, site.line),
                        fmt::format("site[{}].{}", &site - study.sites.data(), key), expected,
                        found});
  }
};

void check_line(const SiteErrors& refuse, const SiteEntry& site, double incident) {
  const FluorescenceKeys& f = site.fluorescence;
  const std::string beam = fmt::format("the beam of {} keV", incident);
  if (f.line_energy) {
    if (*f.line_energy < incident) return;
    throw refuse("line_energy", "less energy than " + beam, fmt::format("{} keV", *f.line_energy));
  }
  const auto line = line_of(site, incident);
  if (!line) {
    const std::string found =
        site.element.empty() ? "no key element" : "element = \"" + site.element + '"';
    throw refuse(
        "line",
        fmt::format("line = \"Fe Ka\" or line_energy = \"6.4 keV\": which fluorescence the "
                    "site measures, and {} excites",
                    beam),
        found + ", and neither key");
  }
  if (line->edge < incident) return;
  throw refuse("line", fmt::format("a line that {} excites", beam),
               fmt::format("{}, whose absorption edge is at {:.4g} keV", line->name, line->edge));
}

// Coefficients at both energies are needed of every substance.
void check_substance(const SiteErrors& refuse, const std::string& key, const std::string& substance,
                     const FluorescenceEnergies& energies) {
  for (const double energy : {energies.incident, energies.line}) {
    if (mass_attenuation(substance, energy)) continue;
    throw refuse(key, "an element or compound, and energies, that the tables of xraylib have",
                 fmt::format("\"{}\" at {} keV{}", substance, energy,
                             did_you_mean(substance, element_symbols())));
  }
}

void check_site(const std::string& path, const StudyFile& study, const SiteEntry& site) {
  const SiteErrors refuse{path, study, site};
  const double incident = site.fluorescence.energy.value_or(study.energy);
  if (!(incident > 0)) {
    throw refuse("energy", "the energy of the beam, here or in [study], for self_absorption",
                 "neither");
  }
  if (site.fluorescence.detector_side.empty()) {
    throw refuse("detector_side",
                 R"("+t" or "-t": the side of larger or smaller beamlets, for self_absorption)",
                 "no such key");
  }
  check_line(refuse, site, incident);
  const FluorescenceEnergies energies = fluorescence_energies(study, site);
  if (!study.matrix.empty()) check_substance(refuse, "matrix of [study]", study.matrix, energies);
  if (study.attenuation == "xrt") return;
  for (const SiteEntry& other : study.sites) {
    if (other.kind == "xrt" || !other.coupled) continue;
    const SiteErrors refuse_other{path, study, other};
    const std::string substance = substance_of(other);
    if (substance.empty()) {
      throw refuse_other("compound",
                         "an element or a compound, to look up its attenuation at other energies",
                         "only a coefficient");
    }
    check_substance(refuse_other, "compound", substance, energies);
  }
}

}  // namespace

std::string substance_of(const SiteEntry& site) {
  return site.compound.empty() ? element_of_channel(site.element).value_or("") : site.compound;
}

FluorescenceKeys read_fluorescence(const StudyTable& t) {
  FluorescenceKeys f;
  read_line(t, f);
  f.line_energy = read_energy(t, "line_energy");
  f.energy = read_energy(t, "energy");
  read_detector(t, f);
  return f;
}

void check_self_absorption(const std::string& path, const StudyFile& study) {
  if (!study.self_absorption) return;
  const auto refuse = [&](const char* key, const char* expected, const char* found) {
    return usage_error(
        {place(path, study.sites.front().line), std::string("[study] ") + key, expected, found});
  };
  const bool xrt = study.attenuation == "xrt";
  if (study.matrix.empty() && (xrt || study.other)) {
    throw refuse("matrix",
                 xrt ? "the compound that absorbs, such as \"SiO2\", for attenuation = \"xrt\""
                     : "the compound of matter that XRF does not see, such as \"SiO2\"",
                 "no such key");
  }
  if (!study.matrix.empty() && !(study.energy > 0)) {
    throw refuse("energy", "the energy of the XRT beam, which gives the density of the matrix",
                 "no such key");
  }
  for (const SiteEntry& site : study.sites) {
    if (site.kind == "xrf") check_site(path, study, site);
  }
}

FluorescenceEnergies fluorescence_energies(const StudyFile& study, const SiteEntry& site) {
  const FluorescenceKeys& f = site.fluorescence;
  FluorescenceEnergies e;
  e.incident = f.energy.value_or(study.energy);
  if (f.line_energy) {
    e.line = *f.line_energy;
    return e;
  }
  const std::optional<FluorescenceLine> line = line_of(site, e.incident);
  FIRM_CHECK(line.has_value());
  e.line = line->energy;
  e.name = line->name;
  e.assumed = f.line.empty();
  return e;
}

}  // namespace firm
