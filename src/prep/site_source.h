// The data of a site, opened and compared with the study. Reads headers, angles and shifts, no
// measurements.
#pragma once

#include <string>
#include <vector>

#include "firm/study.h"
#include "io/formats/scan.h"
#include "io/study/study_file.h"

namespace firm {

// Another element of the same file, a share of whose counts is to be subtracted.
struct OtherElement {
  double share = 0;
  Scan scan;
};

// The open files of a site.
struct OpenSite {
  Scan scan;
  // One number per angle of the file; empty: none.
  std::vector<double> shifts;           // beamlets of the file
  std::vector<double> shifts_vertical;  // slices of the file
  std::vector<double> gain;
  std::vector<OtherElement> unmix;
};

// Reads shifts and gain again, after the entry has changed.
void read_angle_keys(const SiteEntry& entry, const std::string& path, OpenSite& open);

// Throws firm::Error when a file is missing, of no known format, or too small.
OpenSite open_site(const StudyFile& file, const SiteEntry& entry, const std::string& path);

// An open site beside its entry in the study. Owns nothing.
struct SiteSource {
  const StudyFile& file;
  const SiteEntry& entry;
  const std::string& path;  // of the study
  const OpenSite& open;
  const Scan& scan;

  // In beamlets of the file.
  double middle() const { return static_cast<double>(scan.data->beamlets()) / 2; }
  std::size_t binning() const { return static_cast<std::size_t>(entry.binning); }
  // "site xrf-1 of study.toml:12": the place in the study, for errors to be corrected there.
  std::string mention() const;
};

// Throws firm::Error when units or normalization of the data file contradict the study.
void check_values_fit(const SiteSource& source);

// Image and pixel size of the study, angles and binned beamlets of the data file. An axis that is
// to be estimated is in the middle of the detector.
Geometry geometry_of(const SiteSource& source);

// Name, kind, numbers and this geometry.
Site site_of(const SiteSource& source);

}  // namespace firm
