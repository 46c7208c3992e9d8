// The normalization of a preparation: dark, white, monitor and air, and the logarithm.
#include <cmath>
#include <limits>

#include "firm/error.h"
#include "prep/data_warnings.h"
#include "prep/preparer.h"
#include "prep/steps/normalize.h"
#include "prep/steps/transmission.h"

namespace firm {

std::vector<double> Preparer::average(const Frames* frames) const {
  if (frames == nullptr) return std::vector<double>(s_.beamlets * s_.slices());
  Binning how = binning();
  how.saturation = steps_.saturation;
  BinnedFrames binned = read_binned(*frames, how);
  Sinogram read(s_.beamlets, std::move(binned.values), reach_.first);
  mark_not_finite(read);
  refuse(read, Flaw::kNotFinite, *frames, "finite values", "NaN or infinite values", "frame");
  for (std::size_t k = 0; k < binned.saturated.size(); ++k) {
    if (binned.saturated[k] != 0) read.value(k) = std::numeric_limits<float>::quiet_NaN();
  }
  // Zingers hit white and dark frames, too; the median removes them at the cost of more noise.
  const bool median = steps_.zingers && read.angles >= 3;
  return average_frame(read.values, s_.beamlets, median);
}

void Preparer::refuse_white(const std::vector<double>& white,
                            const std::vector<double>& dark) const {
  Sinogram beam(s_.beamlets, Block(s_.beamlets, s_.slices()), reach_.first);
  for (std::size_t k = 0; k < beam.size(); ++k) {
    beam.value(k) = static_cast<float>(white[k] - dark[k]);
    if (!(white[k] > dark[k])) beam.mark(k, Flaw::kNoBeam);
  }
  refuse(beam, Flaw::kNoBeam, *source_.scan.white, "white above dark, on the average of the frames",
         "differences that are not positive, or of white that is always saturated", "mean frame");
}

void Preparer::refuse_monitor(const Block& monitor) const {
  Sinogram beam(s_.beamlets, monitor, reach_.first);
  for (std::size_t k = 0; k < beam.size(); ++k) {
    if (!(beam.value(k) > 0) || !std::isfinite(beam.value(k))) beam.mark(k, Flaw::kNoBeam);
  }
  refuse(beam, Flaw::kNoBeam, *source_.scan.monitor, "a positive beam",
         "values that are not positive and finite");
}

void Preparer::normalize_transmission() {
  const Scan& scan = source_.scan;
  std::string& by = result_.report.normalized;
  const std::vector<double> dark = average(scan.dark.get());
  if (scan.dark) {
    counts_.dark = dark;
    counts_.dark_frames = static_cast<double>(scan.dark->frames());
  }
  if (scan.white && steps_.normalize != "monitor") {
    by = "flat";
    counts_.white_frames = static_cast<double>(scan.white->frames());
    const std::vector<double> white = average(scan.white.get());
    refuse_white(white, dark);
    divide_by_white(white, dark, s_);
    if (!source_.entry.monitor.empty() && steps_.normalize == "auto") {
      warn(
          "the monitor is not used, because there are white frames; normalize = \"monitor\" uses "
          "it");
    }
  } else if (scan.monitor) {
    by = "monitor";
    const Block monitor = read_binned(*scan.monitor, binning()).values;
    refuse_monitor(monitor);
    divide_by_monitor(monitor, dark, s_);
  } else {
    subtract_dark(dark, s_);
  }
  if (steps_.air == 0) return;
  by = by == "none" ? "air" : by + ", air";
  divide_by_air(static_cast<std::size_t>(steps_.air), s_);
  refuse(s_, Flaw::kNoBeam, *scan.data, "air that is above 0 beside the object",
         "values in rows without air");
}

void Preparer::normalize() {
  if (steps_.normalize == "none") return;
  if (source_.entry.kind == "xrt") {
    if (steps_.minus_log) normalize_transmission();
    return;
  }
  if (!source_.scan.monitor) return;
  relate_to_beam(s_);
  mark_not_finite(s_);
  refuse(s_, Flaw::kNotFinite, *source_.scan.data, "finite values relative to the monitor",
         "values that are not");
  result_.report.normalized = "monitor";
}

void Preparer::relate_to_beam(Sinogram& s) const {
  const Block monitor = read_binned(*source_.scan.monitor, binning()).values;
  refuse_monitor(monitor);
  // The mean is over all slices of the study, so that it does not depend on those prepared now.
  const Binning all{static_cast<std::size_t>(source_.entry.first_slice),
                    static_cast<std::size_t>(source_.file.slices), source_.binning()};
  relate_to_monitor(monitor, mean_of_positive(*source_.scan.monitor, all), s);
}

void Preparer::apply_logarithm() {
  const Clipped clipped = clip(steps_.clip_low, steps_.clip_high, s_);
  result_.report.clipped_low = clipped.low;
  result_.report.clipped_high = clipped.high;
  warn(warn_transmissions(s_, result_.report.normalized != "none"));
  if (result_.report.normalized == "monitor") warn(warn_monitor(s_));
  take_logarithm(s_);
  // Removing a lag makes noise grow, which takes small transmissions below 0: they are left out.
  if (result_.report.lag) return;
  refuse(s_, Flaw::kNotPositive, *source_.scan.data,
         "a positive transmission (data - dark) / (white - dark)", "values that are not");
}

}  // namespace firm
