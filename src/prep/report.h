// PreparationReport: changes, masks and estimates of a preparation, for messages, summaries and
// checks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace firm {

// The estimated rotation axis, in beamlets of the data file, before binning.
struct AxisReport {
  double axis = 0;  // edge coordinates
  double uncertainty = 0;
  double contrast = 0;  // 0 to 1 (rotation_axis.h)
  std::optional<double> centre_of_mass;
  std::vector<std::string> warnings;
};

struct NoiseReport {
  double sigma = 0;
  std::string warning;  // empty: none
};

// The removal of a lag (steps/lag.h), in beamlets of the file.
struct LagReport {
  double lag = 0;
  double noise_growth = 1;
  double resolution = 0;  // full width at half maximum; 0: as before
};

struct PreparationReport {
  std::string normalized = "none";  // "flat", "monitor, air", ...
  std::size_t values = 0;           // number of values after binning
  // Masked values; each counts for one reason.
  std::size_t missing = 0;
  std::size_t saturated = 0;
  std::size_t zingers = 0;
  std::size_t not_finite = 0;
  std::size_t no_beam = 0;
  std::size_t not_positive = 0;
  std::size_t dead = 0;
  std::size_t outside = 0;
  // Changed values.
  std::size_t clipped_low = 0;
  std::size_t clipped_high = 0;
  double scale = 1;                   // of XRF: converts the data of the file to g/cm^2
  bool scale_open = false;            // scale = "auto" is not found yet: values are as in the file
  std::optional<LagReport> lag;       // if it was removed
  std::size_t missing_frames = 0;     // 0 throughout while others are not
  std::size_t dead_beamlets = 0;      // in all slices together, masked or not
  std::optional<AxisReport> axis;     // if it was estimated
  std::optional<NoiseReport> noise;   // if it was estimated
  std::string unit_warning;           // about the unit of the data; empty: none
  std::vector<std::string> warnings;  // other than about unit, axis and noise

  std::vector<std::string> all_warnings() const;
  std::size_t masked() const {
    return missing + saturated + zingers + not_finite + no_beam + not_positive + dead + outside;
  }
};

// "12 of 3456 values masked: 3 saturated, 9 zingers; rotation axis found at 296.2 +- 0.1 beamlets".
// Empty if nothing was masked, clipped or estimated. Contains no warnings.
std::string preparation_text(const PreparationReport& report);

// This text and the warnings, one per line, each after the name of the site.
std::vector<std::string> preparation_lines(const std::string& site,
                                           const PreparationReport& report);

}  // namespace firm
