// From the data file of a site to what is fitted: b, which of it counts, and along which rays.
//
// The steps, in this order (docs/data.md), are those of the other files of this folder:
//   binning, saturation, zingers, normalization, clipping, logarithm, rings, scale, rotation axis.
// What cannot be used is masked: it has the value 0 and the weight 0.
#pragma once

#include <string>
#include <vector>

#include "io/study_file.h"
#include "model/study.h"
#include "prep/report.h"

namespace firm {

// Values as measured, for the noise of counts.
struct MeasuredCounts {
  Block values;       // after binning, masked ones included; no rows when nobody asks for them
  double binned = 1;  // counts whose mean one entry is
  std::vector<double> dark;  // mean frame, beamlets x slices, as a Block has them; empty: 0
  double dark_frames = 0;    // how many there are
  double white_frames = 0;   // and of those without object, where data was divided by them
};

struct PreparedSite {
  Site site;      // its geometry has the axis that was found
  SiteData data;  // b, and weights: 0 where a value is masked, else 1; none when none is
  PreparationReport report;
  MeasuredCounts counts;  // where SiteEntry::noise asks for them
};

// `path` is the study's. Throws firm::Error that names the file, the dataset, what was expected and
// what was found; slices, angles and beamlets are counted from 0 there, after binning.
PreparedSite prepare_site(const StudyFile& file, const SiteEntry& entry, const std::string& path);

}  // namespace firm
