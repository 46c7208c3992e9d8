// The data file of a site, opened and held against the study: nothing large is read yet.
#pragma once

#include <string>

#include "io/formats/scan.h"
#include "io/study/study_file.h"
#include "model/study.h"

namespace firm {

struct SiteSource {
  const StudyFile& file;
  const SiteEntry& entry;
  std::string path;  // of the study
  Scan scan;

  // In beamlets of the file.
  double middle() const { return static_cast<double>(scan.data->beamlets()) / 2; }
  std::size_t binning() const { return static_cast<std::size_t>(entry.binning); }
  // "site xrf-1 of study.toml:12": where the study names it, for errors that are mended there.
  std::string mention() const;
};

// Throws firm::Error when the file is not there, is of no known format, or too small.
SiteSource open_site(const StudyFile& file, const SiteEntry& entry, const std::string& path);

// Throws firm::Error when the file's values are not what the study takes them for: units, and what
// they are to be normalized by.
void check_values_fit(const SiteSource& source);

// Image and pixel size of the study, angles and binned beamlets of the data file. Where the axis is
// to be found it is the middle for now.
Geometry geometry_of(const SiteSource& source);

// Name, kind, numbers and this geometry.
Site site_of(const SiteSource& source);

}  // namespace firm
