// Preparer: the sequence of steps that prepares a site. Internal to prepare.cc and
// normalization.cc.
#pragma once

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
  void normalize_transmission();
  void apply_logarithm();
  void estimate_axis();
  void finish_values();
  void set_noise();

  Binning binning() const { return binning_of(slices_); }
  Binning binning_of(const SliceRange& slices) const;
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
  const Preparation& steps_;
  bool masks_;  // bad_values = "mask"
  Sinogram s_;
  MeasuredCounts counts_;
  PreparedSite result_;
};

}  // namespace firm
