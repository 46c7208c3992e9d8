// Removes the lag of a detector whose signal follows that of the beam slowly: one pole along the
// beamlets, in the order of the detector,
//
//     y_j = a y_{j-1} + (1 - a) x_j,   a = exp(-1 / lag),   y_{-1} = x_0
//
// Its inverse x_j = (y_j - a y_{j-1}) / (1 - a) multiplies white noise by sqrt(1 + a^2) / (1 - a),
// which is 20 for a lag of 14 beamlets. A Gaussian along the beamlets follows, as narrow as keeps
// the growth at 4 or below; short lags need none.
#pragma once

#include "prep/sinogram.h"

namespace firm {

// Removes a lag in beamlets of the sinogram; 0 changes nothing. Marks a value whose neighbour
// before it is marked, with the reason of that. The Gaussian uses usable values only.
void remove_lag(double lag_in_beamlets, Sinogram& s);

// Factor by which remove_lag() multiplies the standard deviation of white noise; 1 for no lag.
// Exact, except near the ends of a row and near marked values.
double lag_noise_growth(double lag_in_beamlets);

// Full width at half maximum of the Gaussian, in beamlets; 0: none.
double lag_resolution(double lag_in_beamlets);

}  // namespace firm
