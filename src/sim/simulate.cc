#include "sim/simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "firm/error.h"
#include "firm/projector.h"
#include "io/study/quantity.h"
#include "sim/fine_measurement.h"
#include "sim/matter.h"
#include "sim/noise.h"
#include "sim/phantom.h"
#include "sim/rod.h"

namespace firm {
namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
// Columns for which the projector allocates scratch; more columns take several passes.
constexpr int kProjectorColumns = 16;
constexpr std::uint64_t kScaleStream = 1002;  // of Random

void require(bool holds, const char* option, const std::string& expected,
             const std::string& found) {
  if (!holds) throw usage_error({"simulate", option, expected, found});
}

void require_whole(const char* option, int value, int smallest, int largest) {
  require(value >= smallest && value <= largest, option,
          fmt::format("a whole number from {} to {}", smallest, largest), fmt::format("{}", value));
}

FineSetup fine_setup(const SimulateOptions& o) {
  return {o.preset, o.slices, o.self_absorption, o.threads};
}

// Memory for truth and data of all sites, which are held at once.
void require_memory(const SimulateOptions& o) {
  const Geometry g = simulated_geometry(o);
  const double values = static_cast<double>(phantom_sites(o.preset)) * o.slices *
                        static_cast<double>(g.pixels() + g.rays());
  const double needed = o.twin()
                            ? fine_measurement_bytes(fine_setup(o), g, o.defects.vertical_jitter)
                            : values * sizeof(float);
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  require(needed < present, "size, angles, slices",
          fmt::format("a study that fits into {:.1f} GiB of memory", present / kGibibyte),
          fmt::format("one of {:.1f} GiB", needed / kGibibyte));
}

void add_noise(const SimulateOptions& o, const Geometry& g, std::size_t index,
               SimulatedSite& site) {
  Random random(o.seed, index);
  if (site.is_xrt() && o.counts > 0) {
    Counts counts =
        count_photons(site.data, static_cast<std::size_t>(g.beamlets), o.counts, random);
    site.data = std::move(counts.data);
    site.white = std::move(counts.white);
    site.dark = std::move(counts.dark);
  } else if (!site.is_xrt() && o.xrf_counts > 0) {
    for (float& value : site.data.values()) {
      value = static_cast<float>(random.poisson(static_cast<double>(value)));
    }
  } else {
    add_gaussian_noise(o.noise, random, site.data);
  }
}

SimulatedSite make_site(std::size_t index, const std::vector<std::string>& titles,
                        const std::vector<double>& coefficients) {
  const bool last = index + 1 == titles.size();
  SimulatedSite site;
  site.name = last ? "xrt" : fmt::format("xrf-{}", index + 1);
  site.title = titles[index];
  site.coefficient = last ? 0 : coefficients[index];
  return site;
}

double largest_value(const Block& block) {
  const std::span<const float> values = block.values();
  return static_cast<double>(*std::max_element(values.begin(), values.end()));
}

void divide(double by, Block& block) {
  for (float& value : block.values()) value = static_cast<float>(static_cast<double>(value) / by);
}

// From g/cm^2 to raw values: each element has a yield of its own, within a factor of two.
void draw_scales(const SimulateOptions& o, std::vector<SimulatedSite>& sites) {
  if (o.xrf_counts == 0) return;
  Random random(o.seed, kScaleStream);
  for (SimulatedSite& site : sites) {
    if (site.is_xrt()) continue;
    site.scale = std::exp2(2 * random.uniform() - 1);
    divide(site.scale, site.data);
  }
}

void add_crosstalk(double share, std::vector<SimulatedSite>& sites) {
  if (share == 0) return;
  SimulatedSite& first = sites[0];
  const Block& second = sites[1].data;
  first.crosstalk = share;
  for (std::size_t k = 0; k < second.size(); ++k) {
    float& value = first.data.data()[k];
    value = static_cast<float>(static_cast<double>(value) +
                               share * static_cast<double>(second.data()[k]));
  }
}

// One common factor, so that the largest expected count is the one asked for.
void scale_to_counts(const SimulateOptions& o, std::vector<SimulatedSite>& sites) {
  if (o.xrf_counts == 0) return;
  double largest = 0;
  for (const SimulatedSite& site : sites) {
    if (!site.is_xrt()) largest = std::max(largest, largest_value(site.data));
  }
  if (largest == 0) return;  // no signal at all: any factor gives counts of 0
  for (SimulatedSite& site : sites) {
    if (site.is_xrt()) continue;
    site.scale *= largest / o.xrf_counts;
    divide(largest / o.xrf_counts, site.data);
  }
}

// Gain, lag, cross-talk and scale, in the order in which a beamline adds them to its signals.
void add_defects(const SimulateOptions& o, const Geometry& g, const TrueScan& scan,
                 std::vector<SimulatedSite>& sites) {
  const auto beamlets = static_cast<std::size_t>(g.beamlets);
  for (SimulatedSite& site : sites) {
    if (!site.is_xrt()) {
      apply_gain(scan.gain, beamlets, site.data);
      continue;
    }
    apply_gain_to_logarithms(scan.gain, beamlets, site.data);
    site.lag = o.defects.lag;
    if (o.counts > 0) {
      apply_lag_to_transmission(site.lag, beamlets, site.data);
    } else {
      apply_lag(site.lag, beamlets, site.data);
    }
  }
  draw_scales(o, sites);
  add_crosstalk(o.defects.crosstalk, sites);
  scale_to_counts(o, sites);
}

Simulation simulate_twin(const SimulateOptions& options, const Progress& progress) {
  Simulation result{options, simulated_geometry(options), {}};
  const Geometry& g = result.geometry;
  result.scan = true_scan(options.defects, g, options.seed);
  FineMeasurement made = measure_finely(fine_setup(options), g, result.scan, progress);
  const Matter matter = options.self_absorption ? matter_of(options.preset) : Matter();
  result.matrix = matter.matrix;
  result.other = std::move(made.other);
  result.energy = made.energy;
  for (std::size_t i = 0; i < made.titles.size(); ++i) {
    SimulatedSite site = make_site(i, made.titles, made.coefficients);
    site.truth = std::move(made.truth[i]);
    site.data = std::move(made.data[i]);
    if (i < matter.lines.size()) site.line = matter.lines[i];
    result.sites.push_back(std::move(site));
  }
  report(progress, "adding defects and noise", 0.9);
  add_defects(options, g, result.scan, result.sites);
  for (std::size_t i = 0; i < result.sites.size(); ++i) {
    SimulatedSite& site = result.sites[i];
    site.largest = site.scale * largest_value(site.data);
    add_noise(options, g, i, site);
  }
  report(progress, "simulated", 1);
  return result;
}

}  // namespace

double default_pixel_size(const std::string& preset, int size, bool self_absorption) {
  if (self_absorption) return absorbing_field(preset) / size;
  return preset == "rod" ? kRodField / size : 1e-4;
}

Geometry simulated_geometry(const SimulateOptions& o) {
  Geometry g = paper_geometry(o.size, o.angles, o.pixel_size);
  if (o.self_absorption) {
    for (double& angle : g.angles) angle *= 2;
  }
  return g;
}

void SimulateOptions::validate() const {
  const std::vector<std::string>& names = phantom_names();
  require(std::ranges::find(names, preset) != names.end(), "preset",
          fmt::format("one of {}", fmt::join(names, ", ")), preset);
  // A wire of the rod is then wider than a pixel.
  require_whole("size", size, preset == "rod" ? 32 : 4, 16384);
  require_whole("angles", angles, 1, 100000);
  require_whole("slices", slices, 1, 100000);
  require(std::isfinite(noise) && noise >= 0 && noise <= 10, "noise", "a level from 0 to 10",
          fmt::format("{}", noise));
  require(std::isfinite(pixel_size) && pixel_size > 0, "pixel size", "a positive length",
          length_text(pixel_size));
  // Float holds whole numbers up to 1.6e7 exactly.
  require(counts == 0 || (counts >= 1 && counts <= 1e7), "counts", "from 1 to 1e7 photons",
          fmt::format("{}", counts));
  require(xrf_counts == 0 || (xrf_counts >= 1 && xrf_counts <= 1e7), "xrf-counts",
          "from 1 to 1e7 counts", fmt::format("{}", xrf_counts));
  defects.validate(size, angles, slices);
  require_memory(*this);
}

Simulation simulate(const SimulateOptions& options, const Progress& progress) {
  options.validate();
  if (options.twin()) return simulate_twin(options, progress);
  Simulation result{options, simulated_geometry(options), {}};
  report(progress, "drawing the object", 0);
  Phantom phantom = draw_phantom(options.preset, options.size, slice_heights(options.slices));

  ProjectorOptions projector_options;
  projector_options.threads = options.threads;
  projector_options.columns = std::min(options.slices, kProjectorColumns);
  const std::unique_ptr<Projector> projector = make_projector(result.geometry, projector_options);

  const std::size_t count = phantom.images.size();
  for (std::size_t i = 0; i < count; ++i) {
    report(progress, "projecting " + phantom.titles[i],
           static_cast<double>(i) / static_cast<double>(count));
    SimulatedSite site = make_site(i, phantom.titles, phantom.coefficients);
    site.truth = std::move(phantom.images[i]);
    site.data = Block(result.geometry.rays(), site.truth.columns());
    projector->forward(site.truth, site.data);
    site.largest = largest_value(site.data);
    add_noise(options, result.geometry, i, site);
    result.sites.push_back(std::move(site));
  }
  report(progress, "simulated", 1);
  return result;
}

}  // namespace firm
