#include "prep/fluorescence.h"

#include <cmath>
#include <numbers>

#include "firm/error.h"
#include "io/study/study_fluorescence.h"
#include "physics/attenuation.h"

namespace firm {
namespace {

double attenuation(const std::string& substance, double kev) {
  const std::optional<double> found = mass_attenuation(substance, kev);
  FIRM_CHECK(found.has_value());  // check_self_absorption() has looked
  return *found;
}

// Coefficients of all images at one energy, in the order of Fluorescence.
std::vector<double> coefficients(const StudyFile& study, double kev) {
  const bool by_xrt = study.attenuation == "xrt";
  const double matrix = study.matrix.empty() ? 0
                                             : attenuation(study.matrix, kev) /
                                                   attenuation(study.matrix, study.energy);
  std::vector<double> all;
  for (const SiteEntry& site : study.sites) {
    if (site.kind == "xrt") continue;
    all.push_back(by_xrt || !site.coupled ? 0 : attenuation(substance_of(site), kev));
  }
  if (study.other) all.push_back(by_xrt ? 0 : matrix);
  all.push_back(by_xrt ? matrix : 0);
  return all;
}

// Directions over the round face of a detector, in the plane of a slice. Each stands for the part
// of the face that is as far from its middle line: Gauss's rule for a weight sqrt(1 - u^2).
std::vector<FluorescencePath::Direction> directions(const FluorescenceKeys& f) {
  constexpr int kDirections = 5;
  const double middle = f.detector_side == "-t" ? std::numbers::pi : 0;
  if (!f.detector_distance) return {{middle, 1}};
  std::vector<FluorescencePath::Direction> all;
  for (int k = 1; k <= kDirections; ++k) {
    const double turn = std::numbers::pi * k / (kDirections + 1);
    const double offset = 0.5 * *f.detector_diameter * std::cos(turn);
    const double weight = 2.0 / (kDirections + 1) * std::sin(turn) * std::sin(turn);
    all.push_back({middle + std::atan2(offset, *f.detector_distance), weight});
  }
  return all;
}

}  // namespace

bool is_absorbed(const StudyFile& study, const SiteEntry& site) {
  return study.self_absorption && site.kind != "xrt";
}

std::optional<Fluorescence> fluorescence_of(const StudyFile& study, const SiteEntry& site) {
  if (!is_absorbed(study, site)) return {};
  const FluorescenceEnergies energies = fluorescence_energies(study, site);
  Fluorescence f;
  f.incident_energy = energies.incident;
  f.line_energy = energies.line;
  f.incident = coefficients(study, energies.incident);
  f.line = coefficients(study, energies.line);
  f.path.beam = site.fluorescence.beam_direction == "-" ? -1 : 1;
  f.path.detectors = directions(site.fluorescence);
  return f;
}

}  // namespace firm
