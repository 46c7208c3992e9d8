#include "align/vertical.h"

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

constexpr int kMostRounds = 30;
constexpr double kSettled = 0.001;     // slices
constexpr double kLeastSignal = 0.02;  // of the mean
constexpr double kBound = 0.25;        // of the slices

// Evidence of a shift at each angle, from one site: N and D.
struct Evidence {
  std::vector<double> n, d;
};

// Profile at an angle, moved back by `shift`; NaN beyond the ends.
std::vector<double> moved(const MassProfiles& site, std::size_t angle, double shift) {
  const double* row = site.masses.data() + angle * site.slices;
  std::vector<double> out(site.slices, std::nan(""));
  for (std::size_t z = 0; z < site.slices; ++z) {
    const double at = static_cast<double>(z) + shift;
    if (at < 0 || at > static_cast<double>(site.slices - 1)) continue;
    const auto left = std::min(static_cast<std::size_t>(at), site.slices - 2);
    const double part = at - static_cast<double>(left);
    out[z] = row[left] + part * (row[left + 1] - row[left]);
  }
  return out;
}

// Mean over the angles of each slice, and its central difference.
struct MeanProfile {
  std::vector<double> mean, slope;
};

MeanProfile mean_of(const std::vector<std::vector<double>>& rows) {
  const std::size_t slices = rows.front().size();
  MeanProfile m{std::vector<double>(slices, std::nan("")), std::vector<double>(slices)};
  for (std::size_t z = 0; z < slices; ++z) {
    double sum = 0, count = 0;
    for (const std::vector<double>& row : rows) {
      if (std::isnan(row[z])) continue;
      sum += row[z];
      count += 1;
    }
    if (count > 0) m.mean[z] = sum / count;
  }
  for (std::size_t z = 1; z + 1 < slices; ++z) {
    const double slope = (m.mean[z + 1] - m.mean[z - 1]) / 2;
    if (std::isfinite(slope)) m.slope[z] = slope;
  }
  return m;
}

Evidence evidence_of(const MassProfiles& site, const std::vector<double>& shifts) {
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < shifts.size(); ++k) rows.push_back(moved(site, k, shifts[k]));
  const MeanProfile m = mean_of(rows);
  Evidence e{std::vector<double>(shifts.size()), std::vector<double>(shifts.size())};
  double squares = 0, count = 0;
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    // A beam that drifts changes all masses of an angle by one factor.
    double of_mean = 0, of_row = 0;
    for (std::size_t z = 0; z < site.slices; ++z) {
      if (std::isnan(rows[k][z])) continue;
      of_mean += m.mean[z];
      of_row += rows[k][z];
    }
    const double gain = of_row != 0 ? of_mean / of_row : 1;
    for (std::size_t z = 1; z + 1 < site.slices; ++z) {
      if (std::isnan(rows[k][z])) continue;
      const double r = m.mean[z] - gain * rows[k][z];
      e.n[k] += m.slope[z] * r;
      e.d[k] += m.slope[z] * m.slope[z];
      squares += r * r;
      count += 1;
    }
  }
  // Weights 1 / s^2 from the residual itself: noise, and what shifts do not explain.
  const double variance = count > 0 && squares > 0 ? squares / count : 1;
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    e.n[k] /= variance;
    e.d[k] /= variance;
  }
  return e;
}

}  // namespace

std::vector<VerticalShifts> align_vertically(const std::vector<std::size_t>& angles,
                                             std::size_t slices,
                                             const std::vector<MassProfiles>& hosted,
                                             Collective& collective) {
  std::vector<VerticalShifts> found;
  for (const std::size_t count : angles) found.push_back({std::vector<double>(count), 0});
  const double bound = kBound * static_cast<double>(slices);
  bool settled = false;
  for (int round = 0; round < kMostRounds && !settled; ++round) {
    settled = true;
    for (std::size_t s = 0; s < angles.size(); ++s) {
      std::vector<double> numbers(2 * angles[s]);
      for (const MassProfiles& site : hosted) {
        if (site.scan != s) continue;
        const Evidence e = evidence_of(site, found[s].shifts);
        for (std::size_t k = 0; k < angles[s]; ++k) {
          numbers[k] += e.n[k];
          numbers[angles[s] + k] += e.d[k];
        }
      }
      collective.sum({}, numbers);
      double mean = 0, middle = 0, squares = 0;
      for (std::size_t k = 0; k < angles[s]; ++k) {
        mean += numbers[angles[s] + k] / static_cast<double>(angles[s]);
      }
      if (mean <= 0) continue;
      for (std::size_t k = 0; k < angles[s]; ++k) {
        const double d = std::max(numbers[angles[s] + k], kLeastSignal * mean);
        const double change = std::clamp(numbers[k] / d, -1.0, 1.0);
        if (std::abs(change) > kSettled) settled = false;
        double& shift = found[s].shifts[k];
        shift = std::clamp(shift + change, -bound, bound);
        middle += shift / static_cast<double>(angles[s]);
        squares += 1 / d;
      }
      for (double& shift : found[s].shifts) shift -= middle;
      found[s].uncertainty = std::sqrt(squares / static_cast<double>(angles[s]));
    }
  }
  return found;
}

}  // namespace firm
