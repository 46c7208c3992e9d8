// Estimates of noise, and the weights of values.
#include "prep/site_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/formats/data_exchange.h"
#include "physics/noise.h"
#include "prep/study_data.h"
#include "run/store/identity.h"
#include "sim/noise.h"
#include "sim/simulate.h"
#include "support/prepare_site.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

const Block kAllCount;

Block normal_block(std::size_t rows, std::size_t columns, double sigma) {
  Random random(7, 0);
  Block block(rows, columns);
  for (float& v : block.values()) v = static_cast<float>(sigma * random.normal());
  return block;
}

double largest(const Block& b) { return *std::ranges::max_element(b.values()); }

// Root mean square of (a - b) / deviation: 1 if the deviation is right.
double normalised_error(const Block& a, double b, const Block& deviation) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double e = (static_cast<double>(a.data()[k]) - b) / deviation.data()[k];
    sum += e * e;
  }
  return std::sqrt(sum / static_cast<double>(a.size()));
}

// ---- from the values alone ---------------------------------------------------------------------

TEST(EstimatedNoise, MatchesPureNoise) {
  EXPECT_NEAR(estimate_noise(normal_block(100 * 300, 1, 0.25), kAllCount, 300), 0.25, 0.25 * 0.04);
  // Rows too short for pieces.
  EXPECT_NEAR(estimate_noise(normal_block(2000 * 8, 2, 3), kAllCount, 8), 3, 3 * 0.03);
}

TEST(EstimatedNoise, MatchesNoiseInSinograms) {
  for (const std::string preset : {"paper", "elements"}) {
    SimulateOptions options;
    options.preset = preset;
    const Simulation clean = simulate(options);
    const auto beamlets = static_cast<std::size_t>(clean.geometry.beamlets);
    for (const double level : {0.01, 0.05, 0.1}) {
      for (std::size_t i = 0; i < clean.sites.size(); ++i) {
        Block b = clean.sites[i].data;
        const double sigma = level * largest(b);
        Random random(3, i);
        add_gaussian_noise(level, random, b);
        // These have edges everywhere, which raise small estimates.
        EXPECT_NEAR(estimate_noise(b, kAllCount, beamlets) / sigma, 1, level < 0.02 ? 0.12 : 0.05)
            << preset << " " << clean.sites[i].name << " " << level;
      }
    }
  }
}

TEST(EstimatedNoise, IgnoresMaskedValues) {
  Block values = normal_block(60 * 200, 1, 1);
  Block weights(values.rows(), 1);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool masked = k % 41 == 0;
    weights.data()[k] = masked ? 0.0F : 1.0F;
    if (masked) values.data()[k] = 1e6F;
  }
  EXPECT_NEAR(estimate_noise(values, weights, 200), 1, 0.05);
}

TEST(EstimatedNoise, IsZeroForSmoothValues) {
  Block values(20 * 50, 1);
  EXPECT_EQ(estimate_noise(values, kAllCount, 50), 0);
  std::ranges::fill(values.values(), 3.0F);
  EXPECT_EQ(estimate_noise(values, kAllCount, 50), 0);
}

TEST(EstimatedNoise, IgnoresEmptyParts) {
  Block values = normal_block(80 * 200, 1, 1);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k % 200 >= 70) values.data()[k] = 0;
  }
  EXPECT_NEAR(estimate_noise(values, kAllCount, 200), 1, 0.06);
}

// ---- from counts -------------------------------------------------------------------------------

TEST(CountedNoise, MatchesTransmission) {
  constexpr std::size_t kRays =
      20000;  // one angle, so that each ray has its own white and dark frames
  for (const double b : {0.0, 0.7, 2.5}) {
    Block ideal(kRays, 1);
    std::ranges::fill(ideal.values(), static_cast<float>(b));
    Random random(11, 0);
    const Counts counts = count_photons(ideal, kRays, 3000, random);
    const Absorption found = absorption(counts, kRays);
    std::vector<double> dark(kRays);
    for (std::size_t k = 0; k < counts.dark.size(); ++k) {
      dark[k % kRays] += static_cast<double>(counts.dark.data()[k]) / 10;
    }
    const Block deviation = transmission_deviation({counts.data, 1, dark, 10, 10}, found.b);
    EXPECT_NEAR(normalised_error(found.b, b, deviation), 1, 0.03) << b;
    // The deviation includes the noise of white and dark frames.
    const Block less = transmission_deviation({counts.data, 1, dark, 0, 0}, found.b);
    EXPECT_LT(less(0, 0), deviation(0, 0));
  }
}

TEST(CountedNoise, MatchesFluorescence) {
  Random random(5, 0);
  Block counts(20000, 1);
  Block b(20000, 1);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    counts.data()[k] = static_cast<float>(random.poisson(80));
    b.data()[k] = counts.data()[k] * 1e-3F;
  }
  EXPECT_NEAR(normalised_error(b, 0.08, fluorescence_deviation({counts}, b)), 1, 0.03);
  // A mean of four counts.
  const Block binned = fluorescence_deviation({counts, 4}, b);
  EXPECT_FLOAT_EQ(2 * binned(0, 0), fluorescence_deviation({counts}, b)(0, 0));
}

TEST(CountedNoise, OfZeroCountsIsThatOfOneCount) {
  Block counts(4, 1);
  Block b(4, 1);
  counts(1, 0) = 9;
  b(1, 0) = 18;
  const Block deviation = fluorescence_deviation({counts}, b);
  EXPECT_FLOAT_EQ(deviation(1, 0), 6);
  EXPECT_FLOAT_EQ(deviation(0, 0), 2);
  Block dark_ray(1, 1);
  EXPECT_TRUE(std::isfinite(transmission_deviation({dark_ray}, b = Block(1, 1))(0, 0)));
}

TEST(CountedNoise, GivesWeightsOfAtMostOne) {
  Block deviation(100, 1);
  for (std::size_t k = 0; k < 100; ++k) deviation(k, 0) = static_cast<float>(k + 1);
  deviation(0, 0) = 1e-9F;  // an outlier
  Block weights;
  const double sigma = best_deviation(deviation, weights);
  EXPECT_EQ(sigma, 5);
  weigh(deviation, sigma, weights);
  EXPECT_EQ(weights(0, 0), 1);
  EXPECT_EQ(weights(4, 0), 1);
  EXPECT_FLOAT_EQ(weights(9, 0), 0.25F);
  Block masked(100, 1);
  masked(9, 0) = 1;
  EXPECT_EQ(best_deviation(deviation, masked), 10);
  weigh(deviation, 5, masked);
  EXPECT_FLOAT_EQ(masked(9, 0), 0.25F);
  EXPECT_EQ(masked(50, 0), 0);
}

// ---- sigma of a study --------------------------------------------------------------------------

class NoiseOfAStudy : public testing::Test {
 protected:
  void make(double noise, double counts) {
    SimulateOptions o;
    o.preset = "elements";
    o.size = 128;
    o.angles = 40;
    o.pixel_size = 10e-4;
    o.noise = noise;
    o.counts = counts;
    simulation_ = simulate(o);
    write_simulation(simulation_, directory_.path());
    file_ = read_study(path());
  }
  std::string path() const { return directory_ / "study.toml"; }

  TemporaryDirectory directory_;
  Simulation simulation_;
  StudyFile file_;
};

TEST_F(NoiseOfAStudy, IsEstimatedOnRequest) {
  make(0.1, 0);
  for (SiteEntry& entry : file_.sites) entry.noise = Noise::kEstimated;
  const LoadedStudy loaded = StudyData(file_, path()).load(all_slices(file_));
  for (const PreparationReport& r : loaded.reports) EXPECT_TRUE(r.all_warnings().empty());
  for (std::size_t i = 0; i < 4; ++i) {
    const double sigma = 0.1 * simulation_.sites[i].largest;
    EXPECT_NEAR(loaded.study.sites[i].sigma / sigma, 1, 0.1) << i;
    EXPECT_FALSE(loaded.study.sites[i].weighted_values);
    EXPECT_EQ(loaded.data[i].weights.rows(), 0u);
  }
  // A process of a parallel run knows this of all sites.
  StudyData data(file_, path());
  data.estimate();
  EXPECT_EQ(data.geometries().sites[1].sigma, loaded.study.sites[1].sigma);
}

TEST_F(NoiseOfAStudy, IsComputedFromCountsOnRequest) {
  make(0, 2000);
  SiteEntry& xrt = file_.sites[3];
  xrt.noise = Noise::kCounts;
  const PreparedSite loaded = prepare_all_slices(file_, xrt, path());
  EXPECT_TRUE(loaded.report.noise->warning.empty());
  EXPECT_TRUE(loaded.site.weighted_values);
  // Rays beside the object: 1 / n for the data, a tenth for each of white and dark frames.
  EXPECT_NEAR(loaded.site.sigma, std::sqrt(1.12 / 2000), 0.003);
  const std::span<const float> weights = loaded.data.weights.values();
  ASSERT_EQ(weights.size(), loaded.data.values.size());
  EXPECT_GT(*std::ranges::min_element(weights), 0);
  EXPECT_EQ(*std::ranges::max_element(weights), 1);
  // The weight of a value decreases with absorption, about as exp(-b).
  const auto values = loaded.data.values.values();
  const auto most = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  EXPECT_GT(values[most], 1);
  EXPECT_NEAR(weights[most] * std::exp(values[most]), 1, 0.3);
}

TEST_F(NoiseOfAStudy, NeedsCounts) {
  make(0.01, 0);
  file_.sites[0].noise = Noise::kCounts;
  const std::string text = error_of([&] { StudyData(file_, path()).load(all_slices(file_)); });
  EXPECT_CONTAINS(text, "/exchange/data@units: expected \"counts\"");
  EXPECT_CONTAINS(text, "\"g/cm^2\"");
  EXPECT_CONTAINS(text, "sigma = \"estimate\"");
}

TEST_F(NoiseOfAStudy, ScalesWithXrfCounts) {
  make(0, 0);
  Acquisition a = read_acquisition(directory_ / "xrf-1.h5");
  a.units = "counts";
  for (float& v : a.data.values()) v = 0;
  a.data(17, 0) = 400;
  write_acquisition(directory_ / "xrf-1.h5", a);
  file_.sites[0].prepare.scale = 0.5;
  file_.sites[0].noise = Noise::kCounts;
  const PreparedSite loaded = prepare_all_slices(file_, file_.sites[0], path());
  EXPECT_FLOAT_EQ(loaded.data.values(17, 0), 200);
  // The deviation of the signal is 10; that of nothing counts as at least a tenth of it.
  EXPECT_DOUBLE_EQ(loaded.site.sigma, 1);
  EXPECT_FLOAT_EQ(loaded.data.weights(17, 0), 1.0F / 100);
  EXPECT_EQ(loaded.data.weights(16, 0), 1);
}

TEST_F(NoiseOfAStudy, HasAFloorForValuesWithoutNoise) {
  make(0, 0);
  SiteEntry entry = file_.sites[0];
  entry.noise = Noise::kEstimated;
  Site site;
  site.name = "quiet";
  site.geometry.beamlets = 50;
  SiteData data{0, Block(100, 1)};
  EXPECT_CONTAINS(apply_noise(entry, {kAllCount}, site, data), "quiet: sigma = \"estimate\"");
  EXPECT_EQ(site.sigma, 1);
  std::ranges::fill(data.values.values(), 5.0F);
  EXPECT_CONTAINS(apply_noise(entry, {kAllCount}, site, data), "no noise");
  EXPECT_DOUBLE_EQ(site.sigma, 0.005);
}

// A current in its own unit, labelled counts.
TEST_F(NoiseOfAStudy, WarnsAboutCountsThatAreTooQuiet) {
  make(0, 0);
  SiteEntry entry = file_.sites[0];
  entry.noise = Noise::kCounts;
  Site site;
  site.name = "current";
  site.geometry.beamlets = 50;
  SiteData data{0, normal_block(50 * 20, 1, 0.01)};
  for (float& v : data.values.values()) v += 4;
  const Block deviation = counted_deviation(entry, {data.values}, data.values);
  EXPECT_CONTAINS(apply_noise(entry, {deviation}, site, data), "no counts of single photons");
  EXPECT_NEAR(site.sigma, 2, 0.01);
}

TEST_F(NoiseOfAStudy, KeepsMasks) {
  make(0, 0);
  Site site;
  site.geometry.beamlets = 2;
  SiteData data{0, Block(4, 1), Block(4, 1)};
  data.weights(2, 0) = 1;
  SiteEntry entry = file_.sites[0];
  EXPECT_EQ(apply_noise(entry, {kAllCount}, site, data), "");
  EXPECT_TRUE(site.weighted_values);
  EXPECT_EQ(data.weights(2, 0), 1);
  std::ranges::fill(data.weights.values(), 1.0F);
  apply_noise(entry, {kAllCount}, site, data);
  EXPECT_FALSE(site.weighted_values);
  EXPECT_EQ(data.weights.rows(), 0u);
}

TEST_F(NoiseOfAStudy, ChangesTheIdentityOfARun) {
  make(0, 2000);
  const LoadedStudy plain = StudyData(file_, path()).load(all_slices(file_));
  file_.sites[3].noise = Noise::kCounts;
  const LoadedStudy weighted = StudyData(file_, path()).load(all_slices(file_));
  const auto identity = [](const LoadedStudy& l) {
    std::vector<std::string> fingerprints;
    for (const SiteData& d : l.data) fingerprints.push_back(fingerprint(d));
    return run_identity(l.study, {}, fingerprints);
  };
  EXPECT_NE(identity(plain), identity(weighted));
  LoadedStudy other_weight = weighted;
  other_weight.data[3].weights(0, 0) *= 0.5F;
  EXPECT_NE(identity(other_weight), identity(weighted));
  EXPECT_EQ(fingerprint(plain.data[3]), fingerprint(plain.data[3].values));
}

}  // namespace
}  // namespace firm
