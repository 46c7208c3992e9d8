// Images do not depend on the units of length and density, nor on the names of sites.
#include <gtest/gtest.h>

#include <algorithm>

#include "solve/dense_optimum.h"
#include "support/small_study.h"

namespace firm {
namespace {

// Returns the study with lengths in a unit 1e4 times smaller.
SmallStudy in_micrometres(SmallStudy small) {
  constexpr double kScale = 1e4;
  small.study.pixel_size *= kScale;
  for (Site& site : small.study.sites) {
    site.geometry.pixel_size *= kScale;
    site.geometry.spacing *= kScale;
    site.sigma *= kScale;
  }
  for (SiteData& data : small.data) {
    for (float& value : data.values.values()) value *= static_cast<float>(kScale);
  }
  return small;
}

TEST(Solve, IsIndependentOfLengthUnit) {
  SmallStudyOptions o = kPlain;
  o.pixel_size = 1e-4;
  o.angles = 9;  // a unique solution, from which rounding does not lead away
  for (const std::string& method : method_names()) {
    o.own_sigma = method != "firm" && method != "firm+";
    const SmallStudy in_cm = make_small_study(o);
    const SmallStudy in_um = in_micrometres(in_cm);
    for (const bool by_change : {false, true}) {
      if (by_change && method == "plsqr") continue;
      SolveOptions options = with_method(method);
      (by_change ? options.stop.change : options.stop.kkt) = by_change ? 1e-3 : 1e-2;
      options.firm.hold = 50;
      const Solution cm = solve_small(in_cm, options);
      const Solution um = solve_small(in_um, options);
      EXPECT_TRUE(cm.summary.termination.converged);
      EXPECT_EQ(cm.summary.termination.reason, um.summary.termination.reason) << method;
      EXPECT_EQ(cm.summary.rounds, um.summary.rounds) << method;
      const Matrix w = to_matrix(cm.images);
      // LSQR's vectors lose their orthogonality, and with it the digits that rounding leaves.
      const double tolerance = method == "plsqr" ? 1e-2 : 1e-5;
      EXPECT_LT((to_matrix(um.images) - w).norm(), tolerance * w.norm()) << method;
    }
  }
}

// Densities in a unit 64 times larger: coefficients grow by as much as XRF data and images shrink.
TEST(Solve, IsIndependentOfDensityUnit) {
  constexpr float kScale = 64;
  SmallStudyOptions o = kPlain;
  o.coefficient_sum = 2;
  const SmallStudy small = make_small_study(o);
  SmallStudy other = small;
  for (Site& site : other.study.sites) site.coefficient *= static_cast<double>(kScale);
  for (SiteData& data : other.data) {
    if (data.site + 1 == other.study.sites.size()) continue;
    for (float& value : data.values.values()) value /= kScale;
  }
  for (const std::string& method : method_names()) {
    SolveOptions options = with_method(method);
    options.stop.change = 1e-3;
    options.firm.hold = 50;
    const Solution plain = solve_small(small, options);
    const Solution scaled = solve_small(other, options);
    EXPECT_EQ(scaled.summary.rounds, plain.summary.rounds) << method;
    const DenseStudy dense(small.study, small.data);
    const Matrix w = to_matrix(plain.images);
    for (std::size_t v = 0; v < 3; ++v) {
      const double unit = v < 2 ? static_cast<double>(kScale) : 1;
      const Matrix image = unit * dense.image(to_matrix(scaled.images), v);
      EXPECT_LT((image - dense.image(w, v)).norm(), 1e-5 * w.norm()) << method;
    }
  }
}

TEST(Problem, IdentifiesSitesByIndexNotName) {
  SmallStudyOptions o = kPlain;
  o.other = true;
  const SmallStudy small = make_small_study(o);
  SmallStudy renamed = small;
  for (Site& site : renamed.study.sites) site.name = "other";
  std::reverse(renamed.data.begin(), renamed.data.end());
  const SolveOptions options = with_method("firm-ds");
  const Matrix w = to_matrix(solve_small(small, options).images);
  EXPECT_EQ((to_matrix(solve_small(renamed, options).images) - w).norm(), 0);
  renamed.data.front().site = 3;
  EXPECT_THROW(solve_small(renamed, options), std::logic_error);
}

}  // namespace
}  // namespace firm
