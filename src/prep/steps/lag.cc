#include "prep/steps/lag.h"

#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr double kMostGrowth = 4;
constexpr double kReach = 4;                         // of the Gaussian, in standard deviations
constexpr double kHalfMaximum = 2.3548200450309493;  // full width over standard deviation

double pole(double lag) { return lag > 0 ? std::exp(-1 / lag) : 0; }

// Half of a normalised Gaussian: the weights at distances 0, 1, ...
std::vector<double> gaussian(double width) {
  std::vector<double> half = {1};
  if (width <= 0) return half;
  const auto reach = static_cast<int>(std::ceil(kReach * width));
  double sum = 1;
  for (int i = 1; i <= reach; ++i) {
    half.push_back(std::exp(-0.5 * i * i / (width * width)));
    sum += 2 * half.back();
  }
  for (double& weight : half) weight /= sum;
  return half;
}

// Growth of white noise by the inverse, followed by a Gaussian.
double growth(double a, double width) {
  const std::vector<double> half = gaussian(width);
  const auto reach = static_cast<int>(half.size()) - 1;
  const auto weight = [&](int i) {
    const auto at = static_cast<std::size_t>(std::abs(i));
    return at < half.size() ? half[at] : 0.0;
  };
  double sum = 0;
  for (int i = -reach; i <= reach + 1; ++i) {
    const double coefficient = (weight(i) - a * weight(i - 1)) / (1 - a);
    sum += coefficient * coefficient;
  }
  return std::sqrt(sum);
}

// Standard deviation of the narrowest Gaussian that is needed; 0: none.
double gaussian_width(double a) {
  if (growth(a, 0) <= kMostGrowth) return 0;
  double low = 0;
  double high = 1;
  while (growth(a, high) > kMostGrowth) {
    low = high;
    high *= 2;
  }
  for (int k = 0; k < 40; ++k) {
    const double middle = (low + high) / 2;
    (growth(a, middle) > kMostGrowth ? low : high) = middle;
  }
  return high;
}

// One row, the beamlets of an angle and a slice. `flaws` has the marks before this step.
class Row {
 public:
  Row(const Sinogram& s, std::size_t angle, std::size_t slice)
      : exact_(s.beamlets), usable_(s.beamlets) {
    for (std::size_t x = 0; x < s.beamlets; ++x) {
      const std::size_t k = s.index(angle, x, slice);
      exact_[x] = static_cast<double>(s.value(k));
      usable_[x] = s.usable(k) ? 1 : 0;
    }
  }

  // From the last beamlet to the first, so that each finds its neighbour as it was.
  void invert(double a) {
    for (std::size_t x = exact_.size(); x-- > 1;) {
      if (usable_[x - 1] == 0) usable_[x] = 0;
      exact_[x] = (exact_[x] - a * exact_[x - 1]) / (1 - a);
    }
  }

  bool usable(std::size_t x) const { return usable_[x] != 0; }

  // The mean of usable values around a usable one, weighted by a Gaussian.
  double smooth(std::size_t x, const std::vector<double>& half) const {
    double sum = half[0] * exact_[x];
    double weight = half[0];
    for (std::size_t i = 1; i < half.size(); ++i) {
      const bool left = x >= i && usable_[x - i] != 0;
      const bool right = x + i < exact_.size() && usable_[x + i] != 0;
      sum += half[i] * ((left ? exact_[x - i] : 0) + (right ? exact_[x + i] : 0));
      weight += half[i] * ((left ? 1 : 0) + (right ? 1 : 0));
    }
    return sum / weight;
  }

 private:
  std::vector<double> exact_;
  std::vector<char> usable_;
};

void mark_after_marked(std::size_t angle, std::size_t slice, Sinogram& s) {
  for (std::size_t x = s.beamlets; x-- > 1;) {
    const std::size_t before = s.index(angle, x - 1, slice);
    if (!s.usable(before)) s.mark(s.index(angle, x, slice), s.flaws[before]);
  }
}

}  // namespace

void remove_lag(double lag, Sinogram& s) {
  FIRM_CHECK(lag >= 0);
  if (lag == 0) return;
  const double a = pole(lag);
  const std::vector<double> half = gaussian(gaussian_width(a));
  parallel_for(s.angles, thread_count(0), [&](std::size_t angle) {
    for (std::size_t z = 0; z < s.slices(); ++z) {
      Row row(s, angle, z);
      row.invert(a);
      mark_after_marked(angle, z, s);
      for (std::size_t x = 0; x < s.beamlets; ++x) {
        if (row.usable(x)) s.value(s.index(angle, x, z)) = static_cast<float>(row.smooth(x, half));
      }
    }
  });
}

double lag_noise_growth(double lag) {
  const double a = pole(lag);
  return growth(a, gaussian_width(a));
}

double lag_resolution(double lag) { return kHalfMaximum * gaussian_width(pole(lag)); }

}  // namespace firm
