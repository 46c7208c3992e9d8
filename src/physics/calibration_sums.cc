#include "physics/calibration_sums.h"

#include <cmath>

#include "physics/nonnegative_fit.h"

namespace firm::calibration {
namespace {

constexpr std::size_t kBin = 4;      // beamlets, if there is other matter
constexpr double kTolerance = 0.01;  // of the largest value: smallest amount of other matter

// Means of kBin beamlets, one after the other, and the group of each.
struct Bins {
  std::vector<double> values;
  std::vector<std::size_t> groups;
};

Bins make_bins(const Measured& m) {
  Bins bins;
  const std::size_t width = m.sites() + 1;
  std::vector<double> one(width);
  m.for_each_row([&](std::size_t angle, std::size_t slice) {
    for (std::size_t first = 0; first < m.beamlets(); first += kBin) {
      std::vector<double> sum(width);
      double count = 0;
      for (std::size_t j = first; j < std::min(first + kBin, m.beamlets()); ++j) {
        if (!m.get(angle, slice, j, one)) continue;
        for (std::size_t i = 0; i < width; ++i) sum[i] += one[i];
        ++count;
      }
      if (count == 0) continue;
      for (const double s : sum) bins.values.push_back(s / count);
      bins.groups.push_back(m.group(angle));
    }
  });
  return bins;
}

// Weight p of a bin: 1 where XRF exceeds XRT, and smaller the more of XRT remains.
double one_sided_weight(double r, double tolerance) {
  if (r <= 0) return 1;
  const double part = 1 + (r / tolerance) * (r / tolerance);
  return 1 / (part * part);
}

}  // namespace

double left_over(std::span<const double> bin, const std::vector<double>& f) {
  double r = bin.back();
  for (std::size_t i = 0; i < f.size(); ++i) r -= f[i] * bin[i];
  return r;
}

Sums total_of(const std::vector<Sums>& sums) {
  Sums total(sums.front().h.size());
  for (const Sums& s : sums) total.add(s, 1);
  return total;
}

std::vector<Sums> neighbour_sums(const Measured& m) {
  std::vector<Sums> sums(m.groups(), Sums(m.sites()));
  std::vector<double> before(m.sites() + 1);
  std::vector<double> here(m.sites() + 1);
  m.for_each_row([&](std::size_t angle, std::size_t slice) {
    bool had = false;
    for (std::size_t j = 0; j < m.beamlets(); ++j) {
      const bool has = m.get(angle, slice, j, here);
      if (had && has) sums[m.group(angle)].add(before, here, 1);
      had = has;
      std::swap(before, here);
    }
  });
  return sums;
}

std::vector<Sums> one_sided_sums(const Measured& m, double noise) {
  const Bins bins = make_bins(m);
  const std::size_t width = m.sites() + 1;
  const auto bin = [&](std::size_t k) { return std::span(bins.values.data() + k * width, width); };
  double largest = 0;
  for (std::size_t k = 0; k < bins.groups.size(); ++k) largest = std::max(largest, bin(k).back());
  const double smallest = std::max(kTolerance * largest, 2 * noise / std::sqrt(kBin));
  std::vector<double> f(m.sites());
  std::vector<Sums> sums(m.groups(), Sums(m.sites()));
  if (!(largest > 0)) return sums;
  int last_steps = 20;
  // Starts large, so that all bins determine the first fit.
  for (double tolerance = largest; last_steps > 0;) {
    sums.assign(m.groups(), Sums(m.sites()));
    for (std::size_t k = 0; k < bins.groups.size(); ++k) {
      sums[bins.groups[k]].add(bin(k), bin(k), one_sided_weight(left_over(bin(k), f), tolerance));
    }
    const Sums total = total_of(sums);
    f = nonnegative_fit(total.G, total.h);
    tolerance = std::max(smallest, 0.9 * tolerance);
    if (tolerance == smallest) --last_steps;
  }
  return sums;
}

}  // namespace firm::calibration
