// Calibration of XRF counts to g/cm^2 by comparison with XRT.
//
//     b_N ~ sum_i f_i c_i b_i ,   f_i >= 0       b_N: XRT,  b_i: XRF in counts, along the same rays
//
// The factor f_i converts the counts of site i to g/cm^2, so that the attenuations of all elements
// add up to that of XRT.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

// A sinogram along the rays of XRT. Values of weight 0 are ignored; no weights: all are used.
struct CalibrationData {
  std::string name;
  double coefficient = 1;  // cm^2/g; 1 for XRT
  const Block* values = nullptr;
  const Block* weights = nullptr;
};

struct CalibrationInput {
  std::vector<CalibrationData> xrf;
  CalibrationData xrt;
  std::size_t beamlets = 0;
  // Whether there is matter that XRF does not see.
  bool other = false;
};

struct CalibrationFactor {
  double factor = 0;
  std::optional<double> uncertainty;  // standard deviation; none with fewer than two angles
  double share = 0;                   // of the XRT signal: sum f_i c_i b_i / sum b_N
  // Variance relative to that of a fit of this site alone: 1 if its sinogram is orthogonal to the
  // others, none if it is a combination of them.
  std::optional<double> inflation;
};

struct Calibration {
  std::vector<CalibrationFactor> factors;  // one per XRF site
  std::size_t values = 0;                  // used in the fit
  double residual = 0;                     // ||b_N - sum f_i c_i b_i|| / ||b_N||, noise included
  // The residual without noise: sqrt(sum r r' / sum b b') over neighbouring beamlets.
  double unexplained = 0;
  std::vector<std::string> warnings;
};

// Without `other`, f >= 0 minimises f^T G f - 2 h^T f with sums over neighbouring beamlets (x, x')
// of all angles and slices:
//
//     G_ik = sum x_i x_k' + x_i' x_k ,   h_i = sum x_i y' + x_i' y ,   x_i = c_i b_i ,  y = b_N
//
// Without noise h = G f, as in least squares, and f is exact. With noise, the sum x_i^2 of least
// squares contains that of the noise, and f becomes too small. Here the noise of a beamlet is
// multiplied with that of another, which is zero on average (instrumental variables).
//
// With `other` b_N = sum_i f_i c_i b_i + o with an unknown o >= 0: XRF can explain at most what XRT
// shows. Then f minimises sum_k p_k r_k^2, r = b_N - sum_i f_i c_i b_i over means of four beamlets,
// with p = 1 where r < 0, and p = 1 / (1 + (r / t)^2)^2 elsewhere: an excess of XRF counts in full,
// a remainder of XRT is due to other matter and hardly counts. t decreases to the size of noise (1
// % of the largest value, or twice its deviation). So rays without other matter determine f. If
// other matter is present wherever an element is, the two cannot be separated, and f is an upper
// limit.
//
// The uncertainty is the variation of f when groups of angles are left out (jackknife). Throws
// firm::Error when XRT is 0 everywhere, or no value is usable.
Calibration calibrate(const CalibrationInput& input);

}  // namespace firm
