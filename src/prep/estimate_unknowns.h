// Numbers that a study leaves to be found in the data: rotation_axis = "auto", sigma = "counts" or
// "estimate". They are found once, in some slices in the middle, so that they do not depend on how
// slices are spread over chunks and processes.
#pragma once

#include <string>
#include <vector>

#include "io/study/study_file.h"
#include "prep/prepare.h"

namespace firm {

// What was found about a site.
struct SiteFindings {
  std::optional<AxisReport> axis;
  std::optional<NoiseReport> noise;
};

// Puts them into the report of a preparation, which had nothing left to find.
void add(const SiteFindings& found, PreparationReport& report);

struct EstimatedStudy {
  StudyFile file;                      // with numbers in place of what was to be found
  std::vector<SiteFindings> findings;  // in the order of file.sites

  // Whether anything was to be found.
  bool any() const;
};

// `path` is the study's. Reads nothing where nothing is to be found. Throws firm::Error.
EstimatedStudy estimate_unknowns(const StudyFile& file, const std::string& path);

// For one site, all slices.
PreparedSite estimate_and_prepare(const StudyFile& file, const SiteEntry& entry,
                                const std::string& path);

// Whether values of the site may be masked, or count less than others: known before they are read.
bool may_have_weights(const StudyFile& file, const std::string& site);

// What is odd about the noise of a study; empty: nothing. An s that is not given is 1: next to one
// that is, this site would hardly count, or alone.
std::string warn_noise(const StudyFile& file);

// All slices of the study.
SliceRange all_slices(const StudyFile& file);

}  // namespace firm
