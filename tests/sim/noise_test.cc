#include "sim/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace firm {
namespace {

constexpr int kSamples = 200000;

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments m;
  const double n = static_cast<double>(values.size());
  for (const double v : values) m.mean += v / n;
  for (const double v : values) m.variance += (v - m.mean) * (v - m.mean) / (n - 1);
  return m;
}

template <typename Draw>
std::vector<double> sample(const Draw& draw) {
  std::vector<double> values;
  for (int k = 0; k < kSamples; ++k) values.push_back(draw());
  return values;
}

double poisson_probability(double mean, double k) {
  return std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
}

// The standard specifies the engine, and its integer arithmetic.
TEST(Random, IsEqualOnAllMachines) {
  Random random(1, 0);
  EXPECT_EQ(random.uniform(), 0x1.c41664bccfccbp-2);
  EXPECT_EQ(random.uniform(), 0x1.5048b06e200cbp-2);
}

TEST(Random, DependsOnSeedAndStream) {
  EXPECT_EQ(Random(5, 2).uniform(), Random(5, 2).uniform());
  EXPECT_NE(Random(5, 2).uniform(), Random(5, 3).uniform());
  EXPECT_NE(Random(5, 2).uniform(), Random(6, 2).uniform());
  EXPECT_NE(Random(5, 2).uniform(), Random(2, 5).uniform());
}

TEST(Random, UniformIsUniform) {
  Random random(3, 0);
  const Moments m = moments(sample([&] { return random.uniform(); }));
  // Five standard errors.
  EXPECT_NEAR(m.mean, 0.5, 5 * std::sqrt(1.0 / 12 / kSamples));
  EXPECT_NEAR(m.variance, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / kSamples));
}

TEST(Random, NormalIsNormal) {
  Random random(3, 1);
  const std::vector<double> values = sample([&] { return random.normal(); });
  const Moments m = moments(values);
  EXPECT_NEAR(m.mean, 0, 5 / std::sqrt(kSamples));
  EXPECT_NEAR(m.variance, 1, 5 * std::sqrt(2.0 / kSamples));
  double third = 0;
  double fourth = 0;
  double beyond_two = 0;
  double neighbours = 0;  // the two numbers of one transform must not be correlated
  for (std::size_t k = 0; k < values.size(); ++k) {
    third += std::pow(values[k], 3) / kSamples;
    fourth += std::pow(values[k], 4) / kSamples;
    beyond_two += std::abs(values[k]) > 2 ? 1.0 / kSamples : 0;
    if (k % 2 == 1) neighbours += values[k] * values[k - 1] / (kSamples / 2);
  }
  EXPECT_NEAR(third, 0, 5 * std::sqrt(15.0 / kSamples));
  EXPECT_NEAR(fourth, 3, 5 * std::sqrt(96.0 / kSamples));
  EXPECT_NEAR(beyond_two, 0.0455, 5 * std::sqrt(0.0455 / kSamples));
  EXPECT_NEAR(neighbours, 0, 5 / std::sqrt(kSamples / 2));
}

TEST(Random, PoissonHasRightMoments) {
  // Means on both sides of the change of method, and far from it.
  for (const double mean : {0.01, 0.5, 3.0, 9.99, 10.0, 50.0, 1e3, 1e6}) {
    Random random(4, 0);
    const Moments m = moments(sample([&] { return random.poisson(mean); }));
    EXPECT_NEAR(m.mean, mean, 5 * std::sqrt(mean / kSamples)) << mean;
    EXPECT_NEAR(m.variance, mean, 5 * std::sqrt((2 * mean * mean + mean) / kSamples)) << mean;
  }
}

TEST(Random, PoissonHasRightProbabilities) {
  for (const double mean : {3.0, 12.0, 40.0}) {
    Random random(8, 0);
    std::vector<int> counts(200, 0);
    for (int k = 0; k < kSamples; ++k) {
      const double value = random.poisson(mean);
      ASSERT_EQ(value, std::floor(value));
      ++counts.at(static_cast<std::size_t>(value));
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const double p = poisson_probability(mean, static_cast<double>(k));
      const double margin = 5 * std::sqrt(p / kSamples) + 5.0 / kSamples;
      EXPECT_NEAR(static_cast<double>(counts[k]) / kSamples, p, margin) << mean << " " << k;
    }
  }
}

TEST(Random, PoissonOfMeanZeroIsZero) {
  Random random(1, 1);
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(random.poisson(0), 0);
}

TEST(GaussianNoise, HasDeviationOfPaper) {
  Block b(kSamples, 1);
  for (float& value : b.values()) value = 1;
  b(7, 0) = 4;
  Random random(2, 0);
  add_gaussian_noise(0.01, random, b);
  std::vector<double> noise;
  for (std::size_t k = 0; k < b.size(); ++k) {
    noise.push_back(static_cast<double>(b.data()[k]) - (k == 7 ? 4 : 1));
  }
  const Moments m = moments(noise);
  EXPECT_NEAR(std::sqrt(m.variance), 0.04, 0.04 * 5 / std::sqrt(2.0 * kSamples));
  EXPECT_NEAR(m.mean, 0, 0.04 * 5 / std::sqrt(kSamples));
}

TEST(GaussianNoise, ScalesWithEachSlice) {
  Block b(kSamples, 3);
  b(5, 0) = 4;
  b(6, 1) = 0.5f;  // the third slice is 0
  const Block clean = b;
  Random random(2, 0);
  add_gaussian_noise(0.01, random, b);
  const double expected[] = {0.04, 0.005, 0};
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<double> noise;
    for (std::size_t k = 0; k < b.rows(); ++k) {
      noise.push_back(static_cast<double>(b(k, c)) - static_cast<double>(clean(k, c)));
    }
    EXPECT_NEAR(std::sqrt(moments(noise).variance), expected[c],
                expected[c] * 5 / std::sqrt(2.0 * kSamples));
  }
}

TEST(GaussianNoise, LevelZeroKeepsValues) {
  Block b(3, 2);
  b(1, 1) = 5;
  Random random(2, 0);
  add_gaussian_noise(0, random, b);
  EXPECT_EQ(b(0, 0), 0);
  EXPECT_EQ(b(1, 1), 5);
}

TEST(Counts, InvertToAbsorption) {
  constexpr std::size_t kBeamlets = 50;
  constexpr double kIncident = 1e6;
  Block b(40 * kBeamlets, 2);
  for (std::size_t k = 0; k < b.size(); ++k) {
    b.data()[k] = 2 * static_cast<float>(k) / static_cast<float>(b.size());
  }
  Random random(9, 0);
  const Counts counts = count_photons(b, kBeamlets, kIncident, random);
  ASSERT_EQ(counts.white.rows(), 10 * kBeamlets);
  ASSERT_EQ(counts.dark.rows(), 10 * kBeamlets);
  const Absorption back = absorption(counts, kBeamlets);
  EXPECT_EQ(back.clipped, 0u);
  double pull = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    const double truth = static_cast<double>(b.data()[k]);
    const double signal = kIncident * std::exp(-truth);
    const double dark = 0.01 * kIncident;
    // Variance of the logarithm: data, and averages of ten frames.
    const double variance = (signal + dark + dark / 10) / (signal * signal) + 0.1 / kIncident;
    const double error = static_cast<double>(back.b.data()[k]) - truth;
    pull += error * error / variance / static_cast<double>(b.size());
  }
  EXPECT_NEAR(pull, 1, 0.15);
}

TEST(Counts, ClipsAndCountsRaysWithoutTransmission) {
  constexpr std::size_t kBeamlets = 100;
  Block b(10 * kBeamlets, 1);
  for (std::size_t k = 0; k < 500; ++k) b(k, 0) = 50;
  Random random(9, 0);
  const Absorption back = absorption(count_photons(b, kBeamlets, 1000, random), kBeamlets);
  // About half of the 500 dark rays fall below the mean dark signal.
  EXPECT_GT(back.clipped, 150u);
  EXPECT_LT(back.clipped, 400u);
  for (const float value : back.b.values()) ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace firm
