// Time of an alignment, relative to a plain reconstruction of 60 steps of the same data: shifts of
// 250 x 250 pixels, 36 angles, four sites. Both in turns, the least of several times each.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "align/align.h"
#include "core/timing.h"
#include "sim/simulate.h"

namespace firm {
namespace {

struct Scan {
  Study study;
  std::vector<AlignSite> sites;
};

Scan shaken_scan(const Simulation& simulation) {
  Scan scan;
  for (const SimulatedSite& of : simulation.sites) {
    Site site;
    site.name = of.name;
    site.scan = "A";
    site.kind = of.is_xrt() ? SiteKind::kXrt : SiteKind::kXrf;
    site.coefficient = of.coefficient;
    site.sigma = 0.01 * of.largest;
    site.geometry = simulation.geometry;
    scan.study.add(site, of.data);
  }
  for (const SiteData& data : scan.study.data) {
    const Block& values = data.values;
    const std::size_t index = data.site;
    scan.sites.push_back({index, [&values, index](double) {
                            SiteData copy;
                            copy.site = index;
                            copy.values = values;
                            return copy;
                          }});
  }
  return scan;
}

double alignment_seconds(const Scan& scan) {
  LocalCollective collective;
  const Stopwatch watch;
  align({scan.study, scan.sites, {.shifts = true}, collective, 0, {}});
  return watch.seconds();
}

double reconstruction_seconds(const Scan& scan) {
  constexpr int kSteps = 60;
  const Stopwatch watch;
  AlignState state(scan.study, scan.sites, 0);
  state.set_level(1);
  state.fit(kSteps);
  return watch.seconds();
}

void run() {
  SimulateOptions options;
  options.preset = "shapes";
  options.angles = 36;
  options.noise = 0.01;
  options.defects.jitter = 5;
  options.defects.drift = 3;
  const Simulation simulation = simulate(options);
  const Scan scan = shaken_scan(simulation);
  double aligned = std::numeric_limits<double>::infinity();
  double plain = aligned;
  for (int turn = 0; turn < 5; ++turn) {
    aligned = std::min(aligned, alignment_seconds(scan));
    plain = std::min(plain, reconstruction_seconds(scan));
  }
  fmt::print("alignment of shifts {:.3f} s, 60 steps {:.3f} s: ratio {:.2f} (at most 1.3)\n",
             aligned, plain, aligned / plain);
}

}  // namespace
}  // namespace firm

int main() { firm::run(); }
