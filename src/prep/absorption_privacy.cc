#include "prep/absorption_privacy.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "firm/error.h"
#include "io/study/study_fluorescence.h"

namespace firm {
namespace {

bool in_force(const StudyFile& file, const SolveOptions& options) {
  return file.self_absorption && options.absorption.rounds > 0;
}

std::string xrt_name(const StudyFile& file) {
  return std::ranges::find(file.sites, "xrt", &SiteEntry::kind)->name;
}

// XRF sites besides `site` whose images are part of the sums.
std::size_t others(const StudyFile& file, const SiteEntry& site) {
  return static_cast<std::size_t>(std::ranges::count_if(file.sites, [&](const SiteEntry& other) {
    return other.kind == "xrf" && other.coupled && other.name != site.name;
  }));
}

void check_energies(const StudyFile& file, const SiteEntry& site) {
  const FluorescenceEnergies e = fluorescence_energies(file, site);
  const std::set<double> energies = {e.incident, e.line};
  if (energies.size() < others(file, site)) return;
  throw usage_error(
      {"self_absorption", "attenuation",
       "\"xrt\" in [study], or more XRF sites: at each energy a site learns one sum of the others' "
       "images, and with as many sums as images it could solve for them",
       fmt::format("\"elements\": site {} opens sums at {} energies, and there are {} other XRF "
                   "sites",
                   site.name, energies.size(), others(file, site))});
}

}  // namespace

void check_absorption_privacy(const StudyFile& file, const SolveOptions& options) {
  if (!in_force(file, options) || file.attenuation == "xrt") return;
  if (options.absorption.start == "auto") {
    throw usage_error(
        {"solve", "absorption.start",
         fmt::format("\"xrt\", if the owner of {0} agrees that {0} publishes its image alone, "
                     "divided by the sum of all others; else \"plain\"",
                     xrt_name(file)),
         "\"auto\", which is not enough in a federation"});
  }
  for (const SiteEntry& site : file.sites) {
    if (site.kind == "xrf") check_energies(file, site);
  }
}

std::vector<std::string> absorption_disclosures(const StudyFile& file,
                                                const SolveOptions& options) {
  std::vector<std::string> lines;
  if (!in_force(file, options)) return lines;
  const std::string xrt = xrt_name(file);
  if (file.attenuation == "xrt") {
    lines.push_back(fmt::format("all sites learn the image of {} alone", xrt));
    return lines;
  }
  for (const SiteEntry& site : file.sites) {
    if (site.kind != "xrf") continue;
    const FluorescenceEnergies e = fluorescence_energies(file, site);
    lines.push_back(fmt::format(
        "{} alone learns the attenuation of all elements together at {:.4g} keV and {:.4g} keV, "
        "{} times at most",
        site.name, e.incident, e.line, options.absorption.rounds));
  }
  if (options.absorption.start == "xrt") {
    lines.push_back(
        fmt::format("{} alone learns the sum of all images before the first correction, and all "
                    "sites learn the image of {} alone divided by it",
                    xrt, xrt));
  }
  return lines;
}

}  // namespace firm
