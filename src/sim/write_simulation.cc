#include <fmt/format.h>

#include <filesystem>
#include <numbers>

#include "firm/options.h"
#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "io/study/quantity.h"
#include "io/study/study_file.h"
#include "sim/simulate.h"

namespace firm {
namespace {

std::string data_file(const SimulatedSite& site) { return site.name + ".h5"; }

std::string parameters(const SimulateOptions& o) {
  std::string text =
      fmt::format("preset {}, size {}, angles {}, slices {}, pixel size {}, noise {}, seed {}",
                  o.preset, o.size, o.angles, o.slices, length_text(o.pixel_size), o.noise, o.seed);
  if (o.counts > 0) text += fmt::format(", counts {}", o.counts);
  return text;
}

std::string data_units(const Simulation& s, const SimulatedSite& site) {
  if (!site.is_xrt()) return "g/cm^2";
  return s.options.counts > 0 ? "counts" : "1";
}

Acquisition acquisition_of(const Simulation& s, const SimulatedSite& site) {
  const Geometry& g = s.geometry;
  Acquisition a;
  a.title = fmt::format("{}, simulated", site.title);
  a.units = data_units(s, site);
  a.note = parameters(s.options);
  for (const double angle : g.angles) a.theta.push_back(angle * 180 / std::numbers::pi);
  a.beamlets = g.beamlets;
  a.spacing = g.spacing;
  a.rotation_axis = g.rotation_axis;
  a.data = site.data;
  a.white = site.white;
  a.dark = site.dark;
  return a;
}

void write_truth(const Simulation& s, const std::string& path) {
  const Geometry& g = s.geometry;
  const ImageGrid grid{static_cast<std::size_t>(g.image_rows),
                       static_cast<std::size_t>(g.image_columns), g.pixel_size};
  std::vector<ImageStack> stacks;
  for (const SimulatedSite& site : s.sites) {
    if (site.is_xrt()) {
      stacks.push_back({site.name, "attenuation", "1/cm", &site.truth});
    } else {
      stacks.push_back({site.name, "density", "g/cm^3", &site.truth});
    }
  }
  write_images(path, grid, stacks);
}

StudyFile study_of(const Simulation& s) {
  const Geometry& g = s.geometry;
  StudyFile study;
  study.name = s.options.preset;
  study.description = "simulated: " + parameters(s.options);
  study.truth = "truth.h5";
  study.rows = g.image_rows;
  study.columns = g.image_columns;
  study.slices = s.options.slices;
  study.pixel_size = g.pixel_size;
  for (const SimulatedSite& site : s.sites) {
    SiteEntry entry;
    entry.name = site.name;
    entry.kind = site.is_xrt() ? "xrt" : "xrf";
    entry.data = data_file(site);
    entry.coefficient = site.coefficient;
    entry.spacing = g.spacing;
    entry.rotation_axis = g.rotation_axis;
    entry.prepare.minus_log = site.is_xrt() && s.options.counts > 0;
    study.sites.push_back(entry);
  }
  study.settings.push_back({"method", default_method()});
  if (s.options.noise > 0) {
    study.settings.push_back({"stop.discrepancy", fmt::format("{}", s.options.noise)});
  }
  return study;
}

}  // namespace

std::vector<std::string> write_simulation(const Simulation& simulation,
                                          const std::string& directory, const Progress& progress) {
  make_directory(directory);
  const std::filesystem::path folder(directory);
  std::vector<std::string> paths;
  const double steps = static_cast<double>(simulation.sites.size()) + 1;
  for (const SimulatedSite& site : simulation.sites) {
    report(progress, "writing " + data_file(site), static_cast<double>(paths.size()) / steps);
    paths.push_back((folder / data_file(site)).string());
    write_acquisition(paths.back(), acquisition_of(simulation, site));
  }
  report(progress, "writing truth.h5", static_cast<double>(paths.size()) / steps);
  paths.push_back((folder / "truth.h5").string());
  write_truth(simulation, paths.back());
  paths.push_back((folder / "study.toml").string());
  write_study(paths.back(), study_of(simulation));
  report(progress, "written", 1);
  return paths;
}

}  // namespace firm
