// Noise of the values of a site: how large it is, and what each value counts.
//
// Blocks are rays x slices (ray = angle * beamlets + beamlet). A `weights` without rows means that
// all values count; a value of weight 0 is masked, and is left out of everything here.
#pragma once

#include <cstddef>
#include <span>

#include "firm/block.h"

namespace firm {

// Standard deviation of white Gaussian noise, from the values alone; 0 where they show none.
//
// The smaller of two estimates, each right for noise alone, and each raised by structure in a way
// of its own:
//   - the median of |third differences along the beamlets|, over 0.6745 sqrt(20): few values are at
//     an edge, so these do not count;
//   - the mean square of second differences in the quietest of short pieces of rows: those below
//     s^2, with s^2 such that this is what pieces of noise below their own variance have.
// Differences that are exactly 0, several in a row, are no measurement (an empty map, a clipped
// one), and are left out. Structure as fine as a beamlet is taken for noise.
double estimate_noise(const Block& values, const Block& weights, std::size_t beamlets);

// What the detector counted: before dark, white and monitor were taken into account. One unit is
// taken to be one photon.
struct Counted {
  const Block& counts;
  double binned = 1;  // counts whose mean one entry is
  // Mean of the frames without beam, beamlets x slices, as a Block has them; empty: 0.
  std::span<const double> dark = {};
  double dark_frames = 0;   // how many there are
  double white_frames = 0;  // and of those without object; 0: the beam is known, by a monitor
};

// Standard deviation of b = -log((n - d) / (w - d)), for n counts, and w and d the means of F_w
// white and F_d dark frames, each of Poisson statistics, to first order:
//
//     var(b) = n / (n - d)^2 + (w / F_w) / (w - d)^2 + (d / F_d) (1 / (n - d) - 1 / (w - d))^2
//
// n and n - d are taken to be at least 1. w - d = (n - d) exp(b), whatever it was found from.
Block transmission_deviation(const Counted& counted, const Block& b);

// The same of b = g n, of fluorescence: max(n, 1) g^2. The gain g = b / n holds whatever n was
// multiplied with (scale, monitor); where n is 0 it is the median one.
Block fluorescence_deviation(const Counted& counted, const Block& b);

// The deviation that a weight of 1 stands for: that of the most precise values, not counting the
// best twentieth, so that single absurd ones do not set it. 0 where no value counts.
double best_deviation(const Block& deviation, const Block& weights);

// weight <- weight * min(1, (sigma / deviation)^2). Without rows it becomes one with.
void weigh(const Block& deviation, double sigma, Block& weights);

}  // namespace firm
