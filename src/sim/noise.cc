#include "sim/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "firm/error.h"

namespace firm {
namespace {

constexpr double kInversionLimit = 10;
constexpr std::size_t kFrames = 10;
constexpr double kDarkFraction = 0.01;

// splitmix64: turns neighbouring seeds and streams into unrelated ones.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Sums probabilities until they exceed a uniform number.
double poisson_by_inversion(double mean, Random& random) {
  const double u = random.uniform();
  double probability = std::exp(-mean);
  double sum = probability;
  double k = 0;
  // The second condition ends the search where rounding keeps the sum below u.
  while (u > sum && k < 1000) {
    k += 1;
    probability *= mean / k;
    sum += probability;
  }
  return k;
}

double poisson_by_ptrs(double mean, Random& random) {
  const double log_mean = std::log(mean);
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_r = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = random.uniform() - 0.5;
    const double v = random.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double accept = std::log(v * inverse_alpha / (a / (us * us) + b));
    if (accept <= k * log_mean - mean - std::lgamma(k + 1)) return k;
  }
}

// Frames of Poisson counts with the same mean everywhere.
Block uniform_frames(std::size_t beamlets, std::size_t slices, double mean, Random& random) {
  Block frames(kFrames * beamlets, slices);
  for (float& value : frames.values()) value = static_cast<float>(random.poisson(mean));
  return frames;
}

Block mean_frame(const Block& frames, std::size_t beamlets) {
  const std::size_t count = frames.rows() / beamlets;
  Block mean(beamlets, frames.columns());
  for (std::size_t x = 0; x < beamlets; ++x) {
    for (std::size_t y = 0; y < frames.columns(); ++y) {
      double sum = 0;
      for (std::size_t f = 0; f < count; ++f)
        sum += static_cast<double>(frames(f * beamlets + x, y));
      mean(x, y) = static_cast<float>(sum / static_cast<double>(count));
    }
  }
  return mean;
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) : engine_(mix(mix(seed) ^ stream)) {}

double Random::uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1.0p-53; }

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

double Random::poisson(double mean) {
  FIRM_CHECK(mean >= 0);
  return mean < kInversionLimit ? poisson_by_inversion(mean, *this) : poisson_by_ptrs(mean, *this);
}

void add_gaussian_noise(double level, Random& random, Block& b) {
  if (level == 0 || b.size() == 0) return;
  std::vector<double> largest(b.columns(), -std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < b.size(); ++k) {
    double& m = largest[k % b.columns()];
    m = std::max(m, static_cast<double>(b.data()[k]));
  }
  for (std::size_t k = 0; k < b.size(); ++k) {
    float& value = b.data()[k];
    value = static_cast<float>(static_cast<double>(value) +
                               level * largest[k % b.columns()] * random.normal());
  }
}

Counts count_photons(const Block& b, std::size_t beamlets, double incident, Random& random) {
  const double dark = kDarkFraction * incident;
  Counts counts;
  counts.data = Block(b.rows(), b.columns());
  for (std::size_t k = 0; k < b.size(); ++k) {
    const double mean = incident * std::exp(-static_cast<double>(b.data()[k])) + dark;
    counts.data.data()[k] = static_cast<float>(random.poisson(mean));
  }
  counts.white = uniform_frames(beamlets, b.columns(), incident + dark, random);
  counts.dark = uniform_frames(beamlets, b.columns(), dark, random);
  return counts;
}

Absorption absorption(const Counts& counts, std::size_t beamlets) {
  const Block white = mean_frame(counts.white, beamlets);
  const Block dark = mean_frame(counts.dark, beamlets);
  Absorption result;
  result.b = Block(counts.data.rows(), counts.data.columns());
  for (std::size_t ray = 0; ray < result.b.rows(); ++ray) {
    const std::size_t x = ray % beamlets;
    for (std::size_t y = 0; y < result.b.columns(); ++y) {
      const double beam = static_cast<double>(white(x, y)) - static_cast<double>(dark(x, y));
      double signal = static_cast<double>(counts.data(ray, y)) - static_cast<double>(dark(x, y));
      if (!(signal > 0)) {
        signal = 0.5;
        ++result.clipped;
      }
      result.b(ray, y) = static_cast<float>(-std::log(signal / beam));
    }
  }
  return result;
}

}  // namespace firm
