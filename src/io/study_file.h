// study.toml: what a study consists of, and where its data is. docs/formats.md lists the keys.
#pragma once

#include <string>
#include <vector>

namespace firm {

struct SiteEntry {
  std::string name;
  std::string kind;          // "xrf" or "xrt"
  std::string data;          // file, relative to the study
  double coefficient = 0;    // cm^2/g, of an xrf site
  double spacing = 0;        // cm, between beamlets
  double rotation_axis = 0;  // beamlets, edge coordinates
  bool minus_log = false;  // of an xrt site: the data is counts, the logarithm is still to be taken
};

struct StudyFile {
  std::string name;
  std::string description;
  std::string truth;  // file, relative to the study; empty when the truth is not known
  int rows = 0;
  int columns = 0;
  int slices = 0;
  double pixel_size = 0;  // cm
  std::vector<SiteEntry> sites;
  std::string method;
  double discrepancy = 0;  // noise level s at which to stop; 0 when there is no noise
};

void write_study(const std::string& path, const StudyFile& study);

}  // namespace firm
