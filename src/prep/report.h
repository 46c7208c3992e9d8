// What a preparation has found and done, for people, summaries and checks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace firm {

// Beamlets are those of the data file here, before they are binned.
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

struct PreparationReport {
  std::string normalized = "none";  // by what: "flat", "monitor, air", ...
  std::size_t values = 0;           // of the site, after binning
  // Those that are masked, each counted for one reason.
  std::size_t missing = 0;
  std::size_t saturated = 0;
  std::size_t zingers = 0;
  std::size_t not_finite = 0;
  std::size_t no_beam = 0;
  std::size_t not_positive = 0;
  std::size_t dead = 0;
  // Those that were changed.
  std::size_t clipped_low = 0;
  std::size_t clipped_high = 0;
  double scale = 1;                   // of XRF: from the data of the file to g/cm^2
  std::size_t missing_frames = 0;     // that are 0 throughout while others are not
  std::size_t dead_beamlets = 0;      // found, in all slices together, masked or not
  std::optional<AxisReport> axis;     // when it was to be found
  std::optional<NoiseReport> noise;   // the same
  std::string unit_warning;             // about the unit of the data; empty: none
  std::vector<std::string> warnings;  // but those about unit, axis and noise

  std::vector<std::string> all_warnings() const;
  std::size_t masked() const {
    return missing + saturated + zingers + not_finite + no_beam + not_positive + dead;
  }
};

// "12 of 3456 values masked: 3 saturated, 9 zingers; rotation axis 296.2 +- 0.1 beamlets": empty
// when nothing was masked, clipped or found. Warnings are not part of it.
std::string preparation_text(const PreparationReport& report);

// The same and the warnings, one in each line, with the name of the site in front.
std::vector<std::string> preparation_lines(const std::string& site,
                                           const PreparationReport& report);

}  // namespace firm
