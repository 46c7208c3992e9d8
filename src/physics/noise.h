// Noise of the values of a site: its size, and the weights of values.
//
// Blocks are rays x slices (ray = angle * beamlets + beamlet). Values of weight 0 are masked, and
// ignored everywhere; a `weights` without rows means 1 for all values.
#pragma once

#include <cstddef>
#include <span>

#include "firm/block.h"

namespace firm {

// Estimates the standard deviation of white Gaussian noise from the values alone; 0 if there is
// none.
//
// Takes the smaller of two estimates. Both are right for pure noise, and structure raises each in a
// different way:
//   - the median of |third differences along the beamlets|, over 0.6745 sqrt(20): few values are at
//     an edge, so edges do not matter;
//   - the mean square of second differences over the quietest short pieces of rows. These are below
//     s^2, the variance for which pieces of pure noise below it have this mean.
// Ignores consecutive differences of exactly 0, which are no measurement (an empty or clipped map).
// Structure as fine as a beamlet counts as noise.
double estimate_noise(const Block& values, const Block& weights, std::size_t beamlets);

// Counts of the detector before any correction. One unit is one photon.
struct Counted {
  const Block& counts;
  double binned = 1;  // number of counts that were averaged into one entry
  // Mean dark frame, beamlets x slices in the order of a Block; empty: 0.
  std::span<const double> dark = {};
  double dark_frames = 0;   // number of dark frames
  double white_frames = 0;  // number of white frames; 0: the beam is known from a monitor
};

// Standard deviation of b = -log((n - d) / (w - d)), for n counts, and w and d the means of F_w
// white and F_d dark frames, each of Poisson statistics, to first order:
//
//     var(b) = n / (n - d)^2 + (w / F_w) / (w - d)^2 + (d / F_d) (1 / (n - d) - 1 / (w - d))^2
//
// n and n - d are at least 1. w - d is computed as (n - d) exp(b), for any normalization.
Block transmission_deviation(const Counted& counted, const Block& b);

// Standard deviation of fluorescence b = g n: var(b) = max(n, 1) g^2. The gain g = b / n contains
// all factors (scale, monitor); where n is 0 the median gain is used.
Block fluorescence_deviation(const Counted& counted, const Block& b);

// The deviation that gets the weight 1: that of the most precise values, except the best twentieth,
// which may contain outliers. 0 if all values are masked.
double best_deviation(const Block& deviation, const Block& weights);

// weight <- weight * min(1, (sigma / deviation)^2). Creates `weights` if it has no rows.
void weigh(const Block& deviation, double sigma, Block& weights);

}  // namespace firm
