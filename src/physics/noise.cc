#include "physics/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "firm/error.h"

namespace firm {
namespace {

constexpr double kMedianOfNormal = 0.6744897501960817;  // of |x|, x standard normal
constexpr std::array kSecond = {1.0, -2.0, 1.0};
constexpr std::array kThird = {1.0, -3.0, 3.0, -1.0};
constexpr double kFirstQuantile = 0.1;  // of the pieces, for the first guess
constexpr double kBestPart = 0.05;

double norm_squared(std::span<const double> kernel) {
  double sum = 0;
  for (const double k : kernel) sum += k * k;
  return sum;
}

bool counts(const Block& weights, std::size_t k) {
  return weights.rows() == 0 || weights.data()[k] > 0;
}

// Calls work(differences) for each row, the beamlets of one angle and slice. Differences are scaled
// to the variance of a value. They are NaN where a value is masked, and where two neighbouring
// differences are exactly 0.
template <typename Work>
void for_each_row(const Block& values, const Block& weights, std::size_t beamlets,
                  std::span<const double> kernel, const Work& work) {
  if (beamlets < kernel.size()) return;
  const double norm = std::sqrt(norm_squared(kernel));
  std::vector<double> exact(beamlets + 1 - kernel.size());
  std::vector<double> differences(exact.size());
  for (std::size_t first = 0; first + beamlets <= values.rows(); first += beamlets) {
    for (std::size_t z = 0; z < values.columns(); ++z) {
      for (std::size_t j = 0; j < exact.size(); ++j) {
        exact[j] = 0;
        for (std::size_t i = 0; i < kernel.size(); ++i) {
          const std::size_t k = (first + j + i) * values.columns() + z;
          exact[j] +=
              counts(weights, k) ? kernel[i] * static_cast<double>(values.data()[k]) : std::nan("");
        }
      }
      for (std::size_t j = 0; j < exact.size(); ++j) {
        const bool nothing = exact[j] == 0 && ((j > 0 && exact[j - 1] == 0) ||
                                               (j + 1 < exact.size() && exact[j + 1] == 0));
        differences[j] = nothing ? std::nan("") : exact[j] / norm;
      }
      work(differences);
    }
  }
}

double quantile(std::vector<double>& values, double part) {
  const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size() - 1));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double by_median(const Block& values, const Block& weights, std::size_t beamlets) {
  std::vector<double> sizes;
  for_each_row(values, weights, beamlets, kThird, [&](const std::vector<double>& row) {
    for (const double d : row) {
      if (!std::isnan(d)) sizes.push_back(std::abs(d));
    }
  });
  return sizes.empty() ? 0 : quantile(sizes, 0.5) / kMedianOfNormal;
}

// Mean of v, given v <= 1, for the mean square v of `length` second differences of noise of
// variance 1. Neighbouring differences are correlated: v is distributed as chi^2 / 2a with 2a
// degrees of freedom, fewer than there are differences. The mean is P(a + 1, a) / P(a, a), with P
// the incomplete gamma function.
double mean_below_one(double length) {
  const double first = -4.0 / 6;
  const double second = 1.0 / 6;
  const double dependence =
      1 + 2 * (first * first * (1 - 1 / length) + second * second * (1 - 2 / length));
  const double a = length / dependence / 2;
  double term = 1 / a;
  double series = term;
  for (int n = 1; n < 500; ++n) {
    term *= a / (a + n);
    series += term;
  }
  return 1 - 1 / (a * series);
}

double by_quiet_pieces(const Block& values, const Block& weights, std::size_t beamlets) {
  const std::size_t length = std::clamp<std::size_t>(beamlets / 10, 8, 24);
  std::vector<double> pieces;
  for_each_row(values, weights, beamlets, kSecond, [&](const std::vector<double>& row) {
    for (std::size_t j = 0; j + length <= row.size(); j += length / 2) {
      double sum = 0;
      for (std::size_t i = 0; i < length; ++i) sum += row[j + i] * row[j + i];
      if (sum > 0) pieces.push_back(sum / static_cast<double>(length));  // false for NaN
    }
  });
  if (pieces.empty()) return 0;
  std::sort(pieces.begin(), pieces.end());
  const double part = mean_below_one(static_cast<double>(length));
  double variance = quantile(pieces, kFirstQuantile);
  // Searches upwards for the first variance that agrees with the pieces below it.
  for (int k = 0; k < 1000; ++k) {
    double sum = 0;
    std::size_t count = 0;
    while (count < pieces.size() && pieces[count] <= variance) sum += pieces[count++];
    const double next = sum / static_cast<double>(count) / part;
    if (next <= variance * (1 + 1e-9)) break;
    variance = next;
  }
  return std::sqrt(variance);
}

}  // namespace

double estimate_noise(const Block& values, const Block& weights, std::size_t beamlets) {
  FIRM_CHECK(beamlets > 0 && values.rows() % beamlets == 0);
  FIRM_CHECK(weights.rows() == 0 || weights.size() == values.size());
  const double median = by_median(values, weights, beamlets);
  const double quiet = by_quiet_pieces(values, weights, beamlets);
  // Rows may be too short for pieces, or each piece may have a masked value.
  return quiet > 0 ? std::min(median, quiet) : median;
}

Block transmission_deviation(const Counted& c, const Block& b) {
  FIRM_CHECK(b.size() == c.counts.size());
  FIRM_CHECK(c.dark.empty() || c.counts.size() % c.dark.size() == 0);
  Block deviation(b.rows(), b.columns());
  for (std::size_t k = 0; k < b.size(); ++k) {
    const double dark = c.dark.empty() ? 0 : std::max(0.0, c.dark[k % c.dark.size()]);
    const double n = std::max(1.0, static_cast<double>(c.counts.data()[k]));
    const double signal = std::max(1.0, n - dark);
    const double beam = signal * std::exp(static_cast<double>(b.data()[k]));
    double variance = n / (signal * signal);
    if (c.white_frames > 0) variance += (beam + dark) / c.white_frames / (beam * beam);
    if (c.dark_frames > 0) {
      const double change = 1 / signal - 1 / beam;
      variance += dark / c.dark_frames * change * change;
    }
    deviation.data()[k] = static_cast<float>(std::sqrt(variance / c.binned));
  }
  return deviation;
}

Block fluorescence_deviation(const Counted& c, const Block& b) {
  FIRM_CHECK(b.size() == c.counts.size());
  std::vector<double> gains;
  const auto gain = [&](std::size_t k) {
    return static_cast<double>(b.data()[k]) / static_cast<double>(c.counts.data()[k]);
  };
  for (std::size_t k = 0; k < b.size(); ++k) {
    const double g = c.counts.data()[k] > 0 ? gain(k) : 0;
    if (g > 0 && std::isfinite(g)) gains.push_back(g);
  }
  const double usual = gains.empty() ? 1 : quantile(gains, 0.5);
  Block deviation(b.rows(), b.columns());
  for (std::size_t k = 0; k < b.size(); ++k) {
    const double n = std::max(1.0, static_cast<double>(c.counts.data()[k]));
    double g = c.counts.data()[k] > 0 ? gain(k) : usual;
    if (!(g > 0) || !std::isfinite(g)) g = usual;
    deviation.data()[k] = static_cast<float>(g * std::sqrt(n / c.binned));
  }
  return deviation;
}

double best_deviation(const Block& deviation, const Block& weights) {
  std::vector<double> all;
  for (std::size_t k = 0; k < deviation.size(); ++k) {
    const double d = static_cast<double>(deviation.data()[k]);
    if (counts(weights, k) && d > 0 && std::isfinite(d)) all.push_back(d);
  }
  return all.empty() ? 0 : quantile(all, kBestPart);
}

void weigh(const Block& deviation, double sigma, Block& weights) {
  FIRM_CHECK(sigma > 0 && (weights.rows() == 0 || weights.size() == deviation.size()));
  if (weights.rows() == 0) {
    weights = Block(deviation.rows(), deviation.columns());
    std::ranges::fill(weights.values(), 1.0F);
  }
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double part = sigma / static_cast<double>(deviation.data()[k]);
    if (part < 1) {
      weights.data()[k] = static_cast<float>(static_cast<double>(weights.data()[k]) * part * part);
    }
  }
}

}  // namespace firm
