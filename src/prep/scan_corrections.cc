// The part of a preparation that corrects what a scan got wrong: cross-talk, drift of the beam, lag
// of the detector, vertical motion. Carries the noise of counts along.
#include <algorithm>
#include <cmath>

#include "firm/error.h"
#include "prep/preparer.h"
#include "prep/site_noise.h"
#include "prep/steps/lag.h"
#include "prep/steps/vertical_shifts.h"

namespace firm {
namespace {

constexpr double kLeastTransmission = 1e-6;  // for the noise of those that are not above 0

// -log of transmissions.
Block logarithms(const Block& transmissions) {
  Block b = transmissions;
  for (float& value : b.values()) {
    value = static_cast<float>(-std::log(std::max(static_cast<double>(value), kLeastTransmission)));
  }
  return b;
}

Block weights_of(const Sinogram& s) {
  Block weights(s.values.rows(), s.slices());
  for (std::size_t k = 0; k < s.size(); ++k) weights.data()[k] = s.usable(k) ? 1.0F : 0.0F;
  return weights;
}

}  // namespace

void Preparer::count_noise() {
  if (source_.entry.noise != Noise::kCounts) return;
  const Counted counted{counts_.values, counts_.binned, counts_.dark, counts_.dark_frames,
                        counts_.white_frames};
  deviation_ = counted_deviation(source_.entry, counted,
                                 steps_.minus_log ? logarithms(s_.values) : s_.values);
  counts_ = {};
}

// Variances of counts add.
void Preparer::unmix() {
  for (const OtherElement& other : source_.open.unmix) {
    Block raw = read_binned(*other.scan.data, binning()).values;
    Sinogram values(s_.beamlets, raw, s_.first_slice);
    if (result_.report.normalized == "monitor") relate_to_beam(values);
    Block noise;
    if (deviation_.rows() > 0) {
      const double binned = std::pow(source_.entry.binning, 2);
      noise = counted_deviation(source_.entry, {raw, binned}, values.values);
    }
    for (std::size_t k = 0; k < s_.size(); ++k) {
      s_.value(k) = static_cast<float>(static_cast<double>(s_.value(k)) -
                                       other.share * static_cast<double>(values.value(k)));
      if (noise.rows() == 0) continue;
      deviation_.data()[k] =
          static_cast<float>(std::hypot(static_cast<double>(deviation_.data()[k]),
                                        other.share * static_cast<double>(noise.data()[k])));
    }
  }
  mark_not_finite(s_);
  refuse(s_, Flaw::kNotFinite, *source_.scan.data, "finite values of all elements of unmix",
         "values that are not");
}

// The relative deviation of transmissions, and that of logarithms, stay as they are.
void Preparer::divide_by_gain() {
  const bool logarithms = source_.entry.kind == "xrt" && !steps_.minus_log;
  for (std::size_t k = 0; k < s_.size(); ++k) {
    const double gain = source_.open.gain[k / s_.slices() / s_.beamlets];
    const auto value = static_cast<double>(s_.value(k));
    s_.value(k) = static_cast<float>(logarithms ? value + std::log(gain) : value / gain);
    if (deviation_.rows() > 0 && source_.entry.kind == "xrf") {
      deviation_.data()[k] = static_cast<float>(static_cast<double>(deviation_.data()[k]) / gain);
    }
  }
}

void Preparer::remove_detector_lag() {
  const double binning = source_.entry.binning;
  const double lag = *steps_.lag / binning;
  const double growth = lag_noise_growth(lag);
  const Block before = s_.values;
  const bool unknown = source_.entry.noise != Noise::kGiven && !source_.entry.estimated_sigma;
  if (unknown) {
    const Block seen = steps_.minus_log ? logarithms(before) : before;
    seen_noise_ = growth * estimate_noise(seen, weights_of(s_), s_.beamlets);
  }
  remove_lag(lag, s_);
  for (std::size_t k = 0; k < deviation_.size(); ++k) {
    double factor = growth;
    const auto old = static_cast<double>(before.data()[k]);
    const auto now = static_cast<double>(s_.value(k));
    if (steps_.minus_log && old > 0 && now > 0) factor *= old / now;
    deviation_.data()[k] = static_cast<float>(static_cast<double>(deviation_.data()[k]) * factor);
  }
  result_.report.lag = LagReport{*steps_.lag, growth, lag_resolution(lag) * binning};
}

// Noise that linear interpolation averages is shared with the next slice: the variance is
// interpolated as if it was not averaged.
void Preparer::take_out_vertical_shifts() {
  std::vector<double> shifts = source_.open.shifts_vertical;
  for (double& shift : shifts) shift /= source_.entry.binning;
  const auto first = static_cast<std::ptrdiff_t>(slices_.first) - reach_.first;
  const SliceWindow window{static_cast<std::size_t>(first), slices_.count};
  s_ = without_vertical_shifts(s_, shifts, window);
  if (deviation_.rows() == 0) return;
  for (float& d : deviation_.values()) d *= d;
  Sinogram variance(s_.beamlets, std::move(deviation_));
  deviation_ = without_vertical_shifts(variance, shifts, window).values;
  for (float& d : deviation_.values()) d = std::sqrt(d);
}

}  // namespace firm
