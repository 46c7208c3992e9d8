// Defects of a real scan, for simulated data: a stage that shakes and drifts, an axis and angles
// that are not those in the files, a detector that lags, a beam that drifts, elements whose lines
// overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firm/block.h"
#include "firm/geometry.h"

namespace firm {

// 0: none.
struct Defects {
  double jitter = 0;           // beamlets: stage, uniform within +-jitter at each angle
  double drift = 0;            // beamlets: stage, from the first to the last angle
  double vertical_jitter = 0;  // slices: stage, uniform within +-vertical_jitter at each angle
  double axis_offset = 0;      // beamlets: true rotation axis - the one in the files
  double angle_error = 0;      // true step = (1 + angle_error) * step in the files
  double lag = 0;              // beamlets: time constant of the XRT detector
  double beam_drift = 0;       // strongest - weakest beam of the scan, relative to the mean
  double crosstalk = 0;        // share of the second element's signal that counts as the first

  bool of_scan() const;  // any but crosstalk
  bool any() const { return of_scan() || crosstalk != 0; }

  // Throws firm::Error that names the option.
  void validate(int size, int angles, int slices) const;
};

// The scan as it happened. Sites have one stage, so all of it is common to them.
struct TrueScan {
  std::vector<double> angles;           // radians
  double angle_scale = 1;               // of the step
  double rotation_axis = 0;             // beamlets, edge coordinates
  std::vector<double> shifts;           // beamlets, one per angle, as in Geometry
  std::vector<double> vertical_shifts;  // slices, one per angle: how much further along the rows
  std::vector<double> gain;             // of the beam, one per angle; mean 1
};

// `files`: the geometry that the files state.
//
// Jitter and drift together have no part in span{1, cos, sin} of the true angles. That part is not
// a defect: 1 is a rotation axis elsewhere, cos and sin are an object elsewhere.
TrueScan true_scan(const Defects& defects, const Geometry& files, std::uint64_t seed);

// Values at a frame of which row y shows slice y - shift, by linear interpolation between slices.
// `tall` has `margin` slices more at either end; rows are angle * beamlets + beamlet.
Block at_vertical_shifts(const Block& tall, std::size_t beamlets, std::size_t margin,
                         const std::vector<double>& shifts);

// XRF signals under a beam of this gain at each angle.
void apply_gain(const std::vector<double>& gain, std::size_t beamlets, Block& signal);
// -log(transmission) measured against the mean beam: adds -log(gain).
void apply_gain_to_logarithms(const std::vector<double>& gain, std::size_t beamlets, Block& b);

// y_j = a y_{j-1} + (1 - a) x_j with a = exp(-1 / lag) and y_0 = x_0, along the beamlets of each
// angle. lag = 0 changes nothing.
void apply_lag(double lag, std::size_t beamlets, Block& x);
// The same, but exp(-b) lags: the detector sees intensities.
void apply_lag_to_transmission(double lag, std::size_t beamlets, Block& b);

}  // namespace firm
