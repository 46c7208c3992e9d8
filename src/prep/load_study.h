// From study.toml and its data files to what a solver takes: geometries, and b of every site.
//
// A `path` is the study's; data files are relative to its directory. What is wrong with a data file
// is a firm::Error that names the file, the dataset, what was expected and what was found. Slices,
// angles and beamlets in errors are counted from 0.
#pragma once

#include <string>
#include <vector>

#include "io/study/study_file.h"
#include "model/study.h"
#include "prep/estimate_unknowns.h"

namespace firm {

struct LoadedStudy {
  Study study;
  std::vector<SiteData> data;              // data[i].site == i
  std::vector<PreparationReport> reports;  // of each site
};

// Name, image and slices, and no sites yet.
Study study_without_sites(const StudyFile& file);

// Without the measurements: where a rotation axis is to be found in these, it is the middle of the
// detector for now. The XRT site becomes the last one; the others keep their order.
Study load_geometries(const StudyFile& file, const std::string& path);
// All slices, with what the study leaves to be found.
LoadedStudy load_study(const StudyFile& file, const std::string& path);
// Some slices; what was to be found has been (settle.h).
LoadedStudy load_study(const EstimatedStudy& estimated, const std::string& path,
                       const SliceRange& slices);

// The same for one site of `file`, so that a site of a federation needs no file but its own: name,
// kind, numbers and geometry. Image and pixel size are those of the study, angles and beamlets
// (binned) those of the data file. The spacing is that of the study, else that of the data file,
// else the pixel size, and goes from one beamlet of the file to the next; the rotation axis is that
// of the study, else that of the data file, else the middle of the detector. Measurements:
// prepare.h.
Site load_site(const StudyFile& file, const SiteEntry& entry, const std::string& path);

}  // namespace firm
