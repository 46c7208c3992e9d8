// From the data file of a site to what is fitted: b, which of it counts, and along which rays.
//
// The steps, in this order (docs/data.md), are those of the other files of this folder:
//   binning, saturation, zingers, normalization, clipping, logarithm, rings, scale, rotation axis.
// What cannot be used is masked: it has the value 0 and the weight 0.
#pragma once

#include <string>
#include <vector>

#include "core/slice_range.h"
#include "io/study/study_file.h"
#include "model/study.h"
#include "prep/report.h"

namespace firm {

struct PreparedSite {
  Site site;      // with the axis and the noise that were found
  SiteData data;  // b, and weights: 0 where a value is masked; none when all are 1
  PreparationReport report;
};

// `path` is the study's. Throws firm::Error that names the file, the dataset, what was expected and
// what was found; slices, angles and beamlets are counted from 0 there, after binning. Some of the
// slices of the study have the values that they have among all of them; an axis or a noise that is
// still to be found is found in these slices alone: settle.h.
PreparedSite prepare_site(const StudyFile& file, const SiteEntry& entry, const std::string& path,
                          const SliceRange& slices);

}  // namespace firm
