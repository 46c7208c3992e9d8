// Masses and errors with self-absorption, against data without it: CaCO3, Fe and Zn at 12 keV, 90
// angles over 360 degrees, noise of 1 %, simulated on a grid twice as fine.
#include <gtest/gtest.h>

#include <cmath>

#include "firm/firm.h"
#include "sim/simulate.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

struct Measured {
  double mass = 0;   // over the true one
  double error = 0;  // ||w - truth|| / ||truth||
};

std::vector<Measured> measure(double pixel_size, const SolveOptions& options) {
  SimulateOptions simulated;
  simulated.size = 96;
  simulated.angles = 90;
  simulated.noise = 0.01;
  simulated.self_absorption = true;
  simulated.pixel_size = pixel_size;
  const TemporaryDirectory directory;
  const Simulation simulation = simulate(simulated);
  write_simulation(simulation, directory.path());
  const Solution s = reconstruct(load_study(directory / "study.toml"), options);
  std::vector<Measured> all;
  for (const SimulatedSite& site : simulation.sites) {
    if (site.is_xrt()) continue;
    const Block image = s.image(site.name);
    double found = 0;
    double mass = 0;
    double squares = 0;
    double size = 0;
    for (std::size_t k = 0; k < image.size(); ++k) {
      const auto w = static_cast<double>(image.data()[k]);
      const auto truth = static_cast<double>(site.truth.data()[k]);
      found += w;
      mass += truth;
      squares += (w - truth) * (w - truth);
      size += truth * truth;
    }
    all.push_back({found / mass, std::sqrt(squares / size)});
  }
  return all;
}

constexpr double kNone = 1e-8;    // cm: nothing is absorbed
constexpr double kWeak = 1.6e-4;  // 42 % of the fluorescence of Ca is kept, 68 % of Fe and Zn
constexpr double kStrong = 5e-4;  // 9 %, 40 % and 35 %

TEST(SelfAbsorptionTable, FindsMassesWhereAboutHalfIsKept) {
  const std::vector<Measured> none = measure(kNone, {});
  const std::vector<Measured> weak = measure(kWeak, {});
  SolveOptions ignored;
  ignored.absorption.rounds = 0;
  const std::vector<Measured> wrong = measure(kWeak, ignored);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(weak[i].mass, 1, 0.02) << i;
    EXPECT_LT(wrong[i].mass, 0.8) << i;
    EXPECT_LT(weak[i].error, 1.2 * none[i].error) << i;
  }
}

// The error of Fe is 1.5 times that of data without absorption.
TEST(SelfAbsorptionTable, FindsMassesWhereATenthIsKept) {
  const std::vector<Measured> none = measure(kNone, {});
  const std::vector<Measured> strong = measure(kStrong, {});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(strong[i].mass, 1, 0.03) << i;
    EXPECT_LT(strong[i].error, 1.7 * none[i].error) << i;
  }
  SolveOptions alone;
  alone.method = "pgd";
  alone.absorption.start = "plain";
  EXPECT_LT(measure(kStrong, alone)[0].mass, 0.6);  // XRT makes the difference
}

}  // namespace
}  // namespace firm
