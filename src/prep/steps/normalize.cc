#include "prep/steps/normalize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "firm/error.h"

namespace firm {
namespace {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double median_of(std::span<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Mean position and mean value of the usable values among some beamlets of a row.
struct Air {
  double position = 0;
  double level = 0;
  bool known = false;
};

Air air_of(const Sinogram& s, std::size_t angle, std::size_t slice, std::size_t first,
           std::size_t count) {
  Air air;
  double used = 0;
  for (std::size_t x = first; x < first + count; ++x) {
    const std::size_t k = s.index(angle, x, slice);
    if (!s.usable(k)) continue;
    air.position += static_cast<double>(x);
    air.level += static_cast<double>(s.value(k));
    ++used;
  }
  air.known = used > 0;
  if (!air.known) return air;
  air.position /= used;
  air.level /= used;
  return air;
}

double line_at(const Air& left, const Air& right, double x) {
  if (!left.known) return right.level;
  if (!right.known) return left.level;
  const double part = (x - left.position) / (right.position - left.position);
  return left.level + part * (right.level - left.level);
}

}  // namespace

std::vector<double> average_frame(const Block& frames, std::size_t beamlets, bool median) {
  const std::size_t size = beamlets * frames.columns();
  std::vector<double> average(size);
  std::vector<double> values;
  for (std::size_t k = 0; k < size; ++k) {
    values.clear();
    for (std::size_t at = k; at < frames.size(); at += size) {
      if (std::isfinite(frames.data()[at])) values.push_back(frames.data()[at]);
    }
    average[k] = values.empty() ? std::numeric_limits<double>::quiet_NaN()
                 : median       ? median_of(values)
                                : mean_of(values);
  }
  return average;
}

void divide_by_white(const std::vector<double>& white, const std::vector<double>& dark,
                     Sinogram& s) {
  FIRM_CHECK(white.size() == s.beamlets * s.slices() && dark.size() == white.size());
  for (std::size_t k = 0; k < s.size(); ++k) {
    const std::size_t at = k % white.size();
    const double beam = white[at] - dark[at];
    if (!(beam > 0)) s.mark(k, Flaw::kNoBeam);
    if (!s.usable(k)) continue;
    s.value(k) = static_cast<float>((static_cast<double>(s.value(k)) - dark[at]) / beam);
  }
}

void subtract_dark(const std::vector<double>& dark, Sinogram& s) {
  for (std::size_t k = 0; k < s.size(); ++k) {
    s.value(k) = static_cast<float>(static_cast<double>(s.value(k)) - dark[k % dark.size()]);
  }
}

void divide_by_monitor(const Block& monitor, const std::vector<double>& dark, Sinogram& s) {
  FIRM_CHECK(monitor.size() == s.size() && dark.size() == s.beamlets * s.slices());
  for (std::size_t k = 0; k < s.size(); ++k) {
    const auto beam = static_cast<double>(monitor.data()[k]);
    if (!(beam > 0) || !std::isfinite(beam)) s.mark(k, Flaw::kNoBeam);
    if (!s.usable(k)) continue;
    const double counts = static_cast<double>(s.value(k)) - dark[k % dark.size()];
    s.value(k) = static_cast<float>(counts / beam);
  }
}

void relate_to_monitor(const Block& monitor, double mean, Sinogram& s) {
  FIRM_CHECK(monitor.size() == s.size());
  for (std::size_t k = 0; k < s.size(); ++k) {
    const auto beam = static_cast<double>(monitor.data()[k]);
    if (!(beam > 0) || !std::isfinite(beam)) s.mark(k, Flaw::kNoBeam);
    if (!s.usable(k)) continue;
    s.value(k) = static_cast<float>(static_cast<double>(s.value(k)) * mean / beam);
  }
}

void divide_by_air(std::size_t air, Sinogram& s) {
  FIRM_CHECK(air > 0 && 2 * air <= s.beamlets);
  for (std::size_t a = 0; a < s.angles; ++a) {
    for (std::size_t z = 0; z < s.slices(); ++z) {
      const Air left = air_of(s, a, z, 0, air);
      const Air right = air_of(s, a, z, s.beamlets - air, air);
      for (std::size_t x = 0; x < s.beamlets; ++x) {
        const std::size_t k = s.index(a, x, z);
        const double level = line_at(left, right, static_cast<double>(x));
        if (!(level > 0)) s.mark(k, Flaw::kNoBeam);
        if (s.usable(k)) s.value(k) = static_cast<float>(static_cast<double>(s.value(k)) / level);
      }
    }
  }
}

}  // namespace firm
