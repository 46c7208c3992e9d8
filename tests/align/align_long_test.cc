// The table of docs/method.md, "Refinement of a scan": 250 x 250 pixels, jitter of +-5 beamlets and
// drift.
#include <gtest/gtest.h>

#include "align/aligned.h"
#include "solve/solver.h"

namespace firm {
namespace {

const RefineChoice kShifts{.shifts = true};

ShakenOptions full(const char* preset, int angles, double noise) {
  ShakenOptions options;
  options.preset = preset;
  options.size = 250;
  options.angles = angles;
  options.noise = noise;
  return options;
}

TEST(AlignmentTable, HoldsForShifts) {
  for (const char* preset : {"paper", "shapes"}) {
    for (const int angles : {36, 90}) {
      for (const double noise : {0.01, 0.1}) {
        ShakenOptions options = full(preset, angles, noise);
        const ShakenScan shaken = shake(options);
        const Refinement found = aligned(shaken, kShifts, {}, 0);
        EXPECT_LT(rms_error(shaken, found.scans.front().shifts), noise < 0.05 ? 0.10 : 0.25)
            << preset << " " << angles << " " << noise;
        options.jitter = options.drift = 0;
        const ShakenScan still = shake(options);
        EXPECT_LT(rms_error(still, aligned(still, kShifts, {}, 0).scans.front().shifts),
                  noise < 0.05 ? 0.03 : 0.20)
            << preset << " " << angles << " " << noise;
      }
    }
  }
}

TEST(AlignmentTable, HoldsForAWeakElement) {
  ShakenOptions options = full("paper", 36, 0.01);
  options.weak = {1};
  const ShakenScan scan = shake(options);
  EXPECT_LT(rms_error(scan, aligned(scan, kShifts, {}, 0).scans.front().shifts), 0.3);
}

double distance(const ShakenScan& scan, const std::vector<double>& shifts) {
  Study study = scan.study;
  for (Site& site : study.sites) {
    site.geometry.shifts = shifts;
    site.geometry.rotation_axis = scan.axis;
  }
  const std::vector<SiteData> data = study.data;
  study.data.clear();
  Problem problem(study, data);
  Block truth(problem.pixels(), problem.columns());
  for (std::size_t i = 0; i < scan.truth.size(); ++i) {
    for (std::size_t p = 0; p < truth.rows(); ++p) truth(p, i) = scan.truth[i](p, 0);
  }
  LocalCollective collective;
  SolveInput input;
  input.problem = &problem;
  input.collective = &collective;
  input.truth = &truth;
  return solve(input).summary.error.value();
}

// The position of the object is free, so true shifts get that of the found ones.
TEST(AlignmentTable, HoldsForImages) {
  for (const int angles : {36, 90}) {
    const ShakenScan scan = shake(full("shapes", angles, 0.01));
    const std::vector<double> found = aligned(scan, kShifts, {}, 0).scans.front().shifts;
    const double known = distance(scan, scan.shifts);
    EXPECT_LT(distance(scan, found), 1.01 * known) << angles;
    EXPECT_GT(distance(scan, std::vector<double>(scan.shifts.size())), 2 * known) << angles;
  }
}

}  // namespace
}  // namespace firm
