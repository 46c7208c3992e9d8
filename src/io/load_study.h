// From study.toml and its data files to what a solver takes: geometries, and b of every site.
//
// A `path` is the study's; data files are relative to its directory. What is wrong with a data file
// is a firm::Error that names the file, the dataset, what was expected and what was found. Slices,
// angles and beamlets in errors are counted from 0.
#pragma once

#include <string>
#include <vector>

#include "io/study_file.h"
#include "model/study.h"

namespace firm {

struct LoadedStudy {
  Study study;
  std::vector<SiteData> data;  // data[i].site == i
  std::vector<std::string> warnings;
};

// Name, image and slices, and no sites yet.
Study study_without_sites(const StudyFile& file);

// Without the measurements. The XRT site becomes the last one; the others keep their order.
Study load_geometries(const StudyFile& file, const std::string& path);
LoadedStudy load_study(const StudyFile& file, const std::string& path);

// The same for one site of `file`, so that a site of a federation needs no file but its own.

// Image and pixel size of the study, angles and beamlets of the data file. The spacing is that of
// the study, else that of the data file, else the pixel size; the rotation axis is that of the
// study, else that of the data file, else the middle of the detector.
Geometry site_geometry(const StudyFile& file, const SiteEntry& entry, const std::string& path);

// Name, kind, numbers and geometry. The measurement is read where `sigma` is found from it.
Site load_site(const StudyFile& file, const SiteEntry& entry, const std::string& path);

// The site with its measurement: values, their weights, and the noise, where it is found from them.
struct LoadedSite {
  Site site;
  SiteData data;
  std::string warning;  // about the noise; empty: none
};
LoadedSite load_measured_site(const StudyFile& file, const SiteEntry& entry,
                              const std::string& path);

// b, rays x slices, all of it finite: the data, times `scale` of an XRF site, or with minus_log
//     b = -log((data - dark) / (white - dark))
// with white and dark averaged over their frames, and dark 0 where there is none; without white
// frames, the monitor of every point takes their place.
Block load_site_data(const StudyFile& file, const SiteEntry& entry, const std::string& path);

}  // namespace firm
