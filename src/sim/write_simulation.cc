#include <fmt/format.h>

#include <filesystem>
#include <numbers>

#include "firm/options.h"
#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "io/formats/xrftomo.h"
#include "io/study/quantity.h"
#include "io/study/study_file.h"
#include "sim/simulate.h"

namespace firm {
namespace {

constexpr const char* kXrfFile = "xrf.h5";

bool in_xrf_file(const Simulation& s, const SimulatedSite& site) {
  return s.options.one_xrf_file() && !site.is_xrt();
}

std::string data_file(const Simulation& s, const SimulatedSite& site) {
  return in_xrf_file(s, site) ? kXrfFile : site.name + ".h5";
}

std::string parameters(const SimulateOptions& o) {
  std::string text =
      fmt::format("preset {}, size {}, angles {}, slices {}, pixel size {}, noise {}, seed {}",
                  o.preset, o.size, o.angles, o.slices, length_text(o.pixel_size), o.noise, o.seed);
  const auto add = [&](const char* name, double value) {
    if (value != 0) text += fmt::format(", {} {}", name, value);
  };
  add("counts", o.counts);
  add("xrf-counts", o.xrf_counts);
  add("jitter", o.defects.jitter);
  add("drift", o.defects.drift);
  add("vertical-jitter", o.defects.vertical_jitter);
  add("axis-offset", o.defects.axis_offset);
  add("angle-error", o.defects.angle_error);
  add("lag", o.defects.lag);
  add("beam-drift", o.defects.beam_drift);
  add("crosstalk", o.defects.crosstalk);
  if (o.self_absorption) text += ", self-absorption";
  return text;
}

std::string data_units(const Simulation& s, const SimulatedSite& site) {
  if (!site.is_xrt()) return s.options.xrf_counts > 0 ? "counts" : "g/cm^2";
  return s.options.counts > 0 ? "counts" : "1";
}

std::vector<double> in_degrees(const std::vector<double>& angles) {
  std::vector<double> degrees;
  for (const double angle : angles) degrees.push_back(angle * 180 / std::numbers::pi);
  return degrees;
}

Acquisition acquisition_of(const Simulation& s, const SimulatedSite& site) {
  const Geometry& g = s.geometry;
  Acquisition a;
  a.title = fmt::format("{}, simulated", site.title);
  a.units = data_units(s, site);
  a.note = parameters(s.options);
  a.theta = in_degrees(g.angles);
  a.beamlets = g.beamlets;
  a.spacing = g.spacing;
  a.rotation_axis = g.rotation_axis;
  a.data = site.data;
  a.white = site.white;
  a.dark = site.dark;
  return a;
}

void write_xrf_file(const Simulation& s, const std::string& path) {
  ElementMaps maps;
  maps.units = data_units(s, s.sites.front());
  maps.note = parameters(s.options);
  maps.theta = in_degrees(s.geometry.angles);
  for (const SimulatedSite& site : s.sites) {
    if (site.is_xrt()) continue;
    maps.elements.push_back(site.title);
    maps.data.push_back(&site.data);
  }
  write_xrftomo(path, maps);
}

// Mass of an element in each slice, per cm of height: g/cm.
std::vector<double> masses(const Geometry& g, const Block& density) {
  std::vector<double> mass(density.columns(), 0.0);
  for (std::size_t k = 0; k < density.size(); ++k) {
    mass[k % density.columns()] +=
        static_cast<double>(density.data()[k]) * g.pixel_size * g.pixel_size;
  }
  return mass;
}

// What a refinement should find. docs/formats.md describes it.
std::vector<ImageNumbers> scan_numbers(const Simulation& s) {
  const TrueScan& scan = s.scan;
  std::vector<ImageNumbers> numbers = {
      {"scan/shifts", scan.shifts, "beamlets", false, "further along the detector, per angle"},
      {"scan/vertical_shifts", scan.vertical_shifts, "slices", false,
       "further along the rows of the detector, per angle"},
      {"scan/angles", in_degrees(scan.angles), "degrees", false, "true angles"},
      {"scan/angle_scale", {scan.angle_scale}, "1", true, "true step over that in the files"}};
  for (const SimulatedSite& site : s.sites) {
    const std::string group = "scan/" + site.name + "/";
    numbers.push_back({group + "rotation_axis",
                       {scan.rotation_axis},
                       "beamlets",
                       true,
                       "edge coordinates: the middle of the detector is beamlets / 2"});
    numbers.push_back({group + "gain", scan.gain, "1", false, "of the beam, per angle"});
    if (site.is_xrt()) {
      numbers.push_back({group + "lag", {site.lag}, "beamlets", true});
      continue;
    }
    numbers.push_back({group + "scale", {site.scale}, "g/cm^2", true, "of one unit of the data"});
    numbers.push_back({group + "crosstalk",
                       {site.crosstalk},
                       "1",
                       true,
                       "share of the values of " + s.sites[1].name + " that was added"});
    numbers.push_back({group + "mass", masses(s.geometry, site.truth), "g/cm", false,
                       "sum of density * pixel area, per slice"});
  }
  return numbers;
}

void write_truth(const Simulation& s, const std::string& path) {
  const Geometry& g = s.geometry;
  const ImageGrid grid{static_cast<std::size_t>(g.image_rows),
                       static_cast<std::size_t>(g.image_columns), g.pixel_size};
  std::vector<ImageStack> stacks;
  for (const SimulatedSite& site : s.sites) {
    if (site.is_xrt()) {
      if (s.other.rows() > 0) stacks.push_back({"other", "attenuation", "1/cm", &s.other});
      stacks.push_back({site.name, "attenuation", "1/cm", &site.truth});
    } else {
      stacks.push_back({site.name, "density", "g/cm^3", &site.truth});
    }
  }
  ImageNotes notes;
  if (s.options.twin()) notes.numbers = scan_numbers(s);
  write_images(path, grid, stacks, notes);
}

// What a user of such a scan knows: the program finds the rest, or says that it cannot.
void describe_twin(const Simulation& s, const SimulatedSite& site, SiteEntry& entry) {
  const SimulateOptions& o = s.options;
  const bool counted = (site.is_xrt() ? o.counts : o.xrf_counts) > 0;
  if (o.defects.of_scan()) entry.scan = "A";
  if (in_xrf_file(s, site)) entry.element = site.title;
  entry.prepare.find_scale = !site.is_xrt() && counted;
  if (s.energy > 0 && !site.is_xrt()) {
    entry.coefficient = 0;  // from tables
    if (entry.element.empty() || o.self_absorption) entry.compound = site.title;
  }
  if (!site.line.empty()) {
    entry.fluorescence.line = site.line;
    entry.fluorescence.detector_side = "+t";
  }
  if (o.noise > 0 || o.counts > 0 || o.xrf_counts > 0) {
    entry.noise = counted ? Noise::kCounts : Noise::kEstimated;
  }
}

SiteEntry entry_of(const Simulation& s, const SimulatedSite& site) {
  const Geometry& g = s.geometry;
  SiteEntry entry;
  entry.name = site.name;
  entry.kind = site.is_xrt() ? "xrt" : "xrf";
  entry.data = data_file(s, site);
  entry.coefficient = site.coefficient;
  entry.spacing = g.spacing;
  entry.rotation_axis = g.rotation_axis;
  entry.prepare.minus_log = site.is_xrt() && s.options.counts > 0;
  if (s.options.twin()) describe_twin(s, site, entry);
  return entry;
}

StudyFile study_of(const Simulation& s) {
  const Geometry& g = s.geometry;
  StudyFile study;
  study.name = s.options.preset;
  study.description = "simulated: " + parameters(s.options);
  study.truth = "truth.h5";
  study.other = s.other.rows() > 0;
  study.energy = s.energy;
  study.self_absorption = s.options.self_absorption;
  study.matrix = s.matrix;
  study.rows = g.image_rows;
  study.columns = g.image_columns;
  study.slices = s.options.slices;
  study.pixel_size = g.pixel_size;
  for (const SimulatedSite& site : s.sites) study.sites.push_back(entry_of(s, site));
  study.settings.push_back({"method", default_method()});
  // The noise of a twin is part of its sites.
  if (s.options.noise > 0 && !s.options.twin()) {
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
    const std::string name = data_file(simulation, site);
    const std::string path = (folder / name).string();
    if (!paths.empty() && paths.back() == path) continue;
    report(progress, "writing " + name, static_cast<double>(paths.size()) / steps);
    paths.push_back(path);
    if (in_xrf_file(simulation, site)) {
      write_xrf_file(simulation, path);
    } else {
      write_acquisition(path, acquisition_of(simulation, site));
    }
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
