// Brings the rows of a sinogram to bins of a coarser grid around the rotation axis.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace firm {

// Bin m covers the beamlets from centre + (m - bins / 2) width to one width further, in edge
// coordinates.
struct Bins {
  std::size_t count = 0;
  double width = 1;
  double centre = 0;
};

// A row of values and their weights (0: masked), prepared for resampling by sums up to each edge.
class RowSums {
 public:
  // Fills gaps of at most kGap masked values by straight lines: their neighbours tell enough about
  // them to align by.
  RowSums(std::span<const float> values, std::span<const float> weights);

  // Mean of the values in each bin. A bin that is not covered by usable values to 0.99 gets 0, and
  // 0 in `used`.
  void resample(const Bins& bins, std::span<float> means, std::span<float> used) const;

 private:
  static constexpr std::size_t kGap = 4;

  double at(const std::vector<double>& sums, double edge) const;

  std::vector<double> values_;
  std::vector<double> weights_;
};

}  // namespace firm
