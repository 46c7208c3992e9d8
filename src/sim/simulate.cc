#include "sim/simulate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "firm/error.h"
#include "firm/projector.h"
#include "io/study/quantity.h"
#include "sim/noise.h"
#include "sim/phantom.h"

namespace firm {
namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
// Columns for which the projector allocates scratch; more columns take several passes.
constexpr int kProjectorColumns = 16;

void require(bool holds, const char* option, const std::string& expected,
             const std::string& found) {
  if (!holds) throw usage_error({"simulate", option, expected, found});
}

void require_whole(const char* option, int value, int smallest, int largest) {
  require(value >= smallest && value <= largest, option,
          fmt::format("a whole number from {} to {}", smallest, largest), fmt::format("{}", value));
}

// Memory for truth and data of all sites, which are held at once.
void require_memory(const SimulateOptions& o) {
  const Geometry g = paper_geometry(o.size, o.angles, o.pixel_size);
  const double values = 4.0 * o.slices * static_cast<double>(g.pixels() + g.rays());
  const double needed = values * sizeof(float);
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  require(needed < present, "size, angles, slices",
          fmt::format("a study that fits into {:.1f} GiB of memory", present / kGibibyte),
          fmt::format("one of {:.1f} GiB", needed / kGibibyte));
}

Phantom make_phantom(const SimulateOptions& o) {
  if (o.preset == "paper") return paper_phantom(o.size, o.slices);
  if (o.preset == "elements") return elements_phantom(o.size, o.slices);
  if (o.preset == "smooth") return smooth_phantom(o.size, o.slices);
  return shapes_phantom(o.size, o.slices);
}

void add_noise(const SimulateOptions& o, const Geometry& g, std::size_t index,
               SimulatedSite& site) {
  Random random(o.seed, index);
  if (!site.is_xrt() || o.counts == 0) {
    add_gaussian_noise(o.noise, random, site.data);
    return;
  }
  Counts counts = count_photons(site.data, static_cast<std::size_t>(g.beamlets), o.counts, random);
  site.data = std::move(counts.data);
  site.white = std::move(counts.white);
  site.dark = std::move(counts.dark);
}

}  // namespace

void SimulateOptions::validate() const {
  require(preset == "paper" || preset == "elements" || preset == "shapes" || preset == "smooth",
          "preset", "paper, elements, shapes or smooth", preset);
  require_whole("size", size, 4, 16384);
  require_whole("angles", angles, 1, 100000);
  require_whole("slices", slices, 1, 100000);
  require(std::isfinite(noise) && noise >= 0 && noise <= 10, "noise", "a level from 0 to 10",
          fmt::format("{}", noise));
  require(std::isfinite(pixel_size) && pixel_size > 0, "pixel size", "a positive length",
          length_text(pixel_size));
  // Float holds whole numbers up to 1.6e7 exactly.
  require(counts == 0 || (counts >= 1 && counts <= 1e7), "counts", "from 1 to 1e7 photons",
          fmt::format("{}", counts));
  require_memory(*this);
}

Simulation simulate(const SimulateOptions& options, const Progress& progress) {
  options.validate();
  Simulation result{options, paper_geometry(options.size, options.angles, options.pixel_size), {}};
  report(progress, "drawing the object", 0);
  Phantom phantom = make_phantom(options);

  ProjectorOptions projector_options;
  projector_options.threads = options.threads;
  projector_options.columns = std::min(options.slices, kProjectorColumns);
  const std::unique_ptr<Projector> projector = make_projector(result.geometry, projector_options);

  const std::size_t count = phantom.images.size();
  for (std::size_t i = 0; i < count; ++i) {
    report(progress, "projecting " + phantom.titles[i],
           static_cast<double>(i) / static_cast<double>(count));
    const bool last = i + 1 == count;
    SimulatedSite site;
    site.name = last ? "xrt" : fmt::format("xrf-{}", i + 1);
    site.title = phantom.titles[i];
    site.coefficient = last ? 0 : phantom.coefficients[i];
    site.truth = std::move(phantom.images[i]);
    site.data = Block(result.geometry.rays(), site.truth.columns());
    projector->forward(site.truth, site.data);
    const std::span<const float> clean = site.data.values();
    site.largest = static_cast<double>(*std::max_element(clean.begin(), clean.end()));
    add_noise(options, result.geometry, i, site);
    result.sites.push_back(std::move(site));
  }
  report(progress, "simulated", 1);
  return result;
}

}  // namespace firm
