// Preparer: the sequence of steps that prepares a site. Internal to prepare.cc and
// normalization.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/slice_range.h"
#include "prep/prepare.h"
#include "prep/sinogram.h"
#include "prep/site_source.h"
#include "prep/steps/binning.h"

namespace firm {

// Counts before normalization, for the noise of counts.
struct MeasuredCounts {
  Block values;              // after binning, with masked ones; no rows unless sigma = "counts"
  double binned = 1;         // number of counts that were averaged into one entry
  std::vector<double> dark;  // mean frame, beamlets x slices in the order of a Block; empty: 0
  double dark_frames = 0;
  double white_frames = 0;  // 0: the data is not divided by white frames
};

// One preparation of some slices of a site.
class Preparer {
 public:
  // Throws firm::Error when units or normalization of the data file contradict the study.
  Preparer(const SiteSource& source, const SliceRange& slices);

  // To be called once.
  PreparedSite run();

 private:
  void set_scale();
  std::vector<Stuck> read();
  void handle_missing_frames();
  void handle_dead_beamlets(const std::vector<Stuck>& stuck);
  void normalize();
  // Deviation of the counts, and of later steps, if sigma = "counts".
  void count_noise();
  void unmix();
  void divide_by_gain();
  void remove_detector_lag();
  void take_out_vertical_shifts();
  void normalize_transmission();
  void apply_logarithm();
  void estimate_axis();
  void finish_values();
  void set_noise();

  // Slices to read: with vertical shifts more than are prepared, but none beyond the file.
  struct Reach {
    std::ptrdiff_t first = 0;  // number in the study
    std::size_t count = 0;
  };
  Reach reach() const;
  // Rows and beamlets of the slices to read.
  Binning binning() const;
  // Values of a monitor that is divided by, relative to its mean over all slices of the study.
  void relate_to_beam(Sinogram& s) const;
  // Mean or median of all frames without saturated values; zeros if `frames` is null.
  std::vector<double> average(const Frames* frames) const;
  // Throws if a value has this flaw, unless bad_values = "mask".
  void refuse(const Sinogram& s, Flaw flaw, const Frames& of, const char* expected,
              const char* what, const char* frame = "angle") const;
  void refuse_white(const std::vector<double>& white, const std::vector<double>& dark) const;
  void refuse_monitor(const Block& monitor) const;
  void warn(std::string text) {
    if (!text.empty()) result_.report.warnings.push_back(std::move(text));
  }

  const SiteSource& source_;
  SliceRange slices_;
  Reach reach_;
  const Preparation& steps_;
  bool masks_;  // bad_values = "mask"
  Sinogram s_;
  MeasuredCounts counts_;
  // Standard deviation of the values before `scale`; of transmissions, relative to them. No rows
  // unless sigma = "counts".
  Block deviation_;
  // Noise of the values before `scale`, seen before a lag was removed: afterwards neighbours share
  // it.
  std::optional<double> seen_noise_;
  PreparedSite result_;
};

}  // namespace firm
