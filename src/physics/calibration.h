// Calibration: from XRF counts to g/cm^2, by what XRT shows.
//
//     b_N ~ sum_i f_i c_i b_i ,   f_i >= 0       b_N: XRT,  b_i: XRF in counts, along the same rays
//
// f_i is the factor that makes g/cm^2 of the counts of site i, so that the attenuation of all
// elements adds up to what XRT shows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

// A sinogram along the rays of XRT; weights without rows: all values count, 0: not this one.
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
  std::optional<double> uncertainty;  // standard deviation; none where there are not two angles
  double share = 0;                   // of XRT: sum f_i c_i b_i / sum b_N
  // How much larger its variance is than if this were the only site: 1 where its sinogram is like
  // no other; none where it is made up of others.
  std::optional<double> inflation;
};

struct Calibration {
  std::vector<CalibrationFactor> factors;  // of each XRF site
  std::size_t values = 0;                  // that were used
  double residual = 0;                     // ||b_N - sum f_i c_i b_i|| / ||b_N||, noise included
  // The same without noise: sqrt(sum r r' / sum b b') over neighbouring beamlets.
  double unexplained = 0;
  std::vector<std::string> warnings;
};

// Without `other`, by f >= 0 that minimises f^T G f - 2 h^T f with sums over neighbouring beamlets
// (x, x') of all angles and slices:
//
//     G_ik = sum x_i x_k' + x_i' x_k ,   h_i = sum x_i y' + x_i' y ,   x_i = c_i b_i ,  y = b_N
//
// Without noise h = G f, as in least squares, and f is exact. With noise, least squares has
// sum x_i^2 too large by that of the noise, and f too small; here noise of one beamlet meets that
// of another, and adds nothing on the average (instrumental variables).
//
// With `other` b_N = sum_i f_i c_i b_i + o with an unknown o >= 0: XRF can explain at most what XRT
// shows. Then f minimises sum_k p_k r_k^2, r = b_N - sum_i f_i c_i b_i over means of four beamlets,
// with p = 1 where r < 0, and p = 1 / (1 + (r / t)^2)^2 elsewhere: what is too much counts in full,
// what is left over is other's, and does not. t falls to what noise may be (1 % of the largest
// value, or twice its deviation). So f is that of rays without other matter. Where it is within an
// element everywhere, the two cannot be told apart: f is then an upper limit.
//
// The uncertainty is what leaving out groups of angles does to f (jackknife). Throws firm::Error
// when XRT shows nothing, or no value can be used.
Calibration calibrate(const CalibrationInput& input);

}  // namespace firm
