// study.toml: what a study consists of, and where its data is. docs/formats.md lists the keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace firm {

struct SiteEntry {
  std::string name;
  std::string kind;                     // "xrf" or "xrt"
  std::string data;                     // file, relative to the study
  std::string element;                  // of a file that has several: the one to read
  double coefficient = 0;               // cm^2/g, of an xrf site
  double sigma = 1;                     // standard deviation of the noise, in the unit of the data
  std::optional<double> spacing;        // cm, between beamlets; without: as load_study.h says
  std::optional<double> rotation_axis;  // beamlets, edge coordinates; without: the data file's
  bool minus_log = false;  // of an xrt site: the data is counts, the logarithm is still to be taken
  std::string key;  // SHA-256 of the public key of its certificate, hexadecimal; empty: any key
                    // that the authority has signed
  int line = 0;     // of its table in the file it was read from
};

// One key of [solve]. Its meaning is the solver's business; here it is a text, whatever its type in
// the file: "0.01", "true", "firm-ds".
struct Setting {
  std::string key;  // keys of tables within [solve] are joined with '.': "stop.discrepancy"
  std::string value;
  int line = 0;  // in the file it was read from
};

struct StudyFile {
  std::string name;
  std::string description;
  std::string truth;   // file, relative to the study; empty when the truth is not known
  bool other = false;  // whether there is matter that XRF does not see
  int rows = 0;
  int columns = 0;
  int slices = 0;
  double pixel_size = 0;  // cm
  std::vector<SiteEntry> sites;
  std::vector<Setting> settings;  // of [solve], no key twice
};

// Whether two say the same: lines do not count, nor does the order of settings.
bool operator==(const SiteEntry& a, const SiteEntry& b);
bool operator==(const Setting& a, const Setting& b);
bool operator==(const StudyFile& a, const StudyFile& b);

// The content of a study file.
std::string study_text(const StudyFile& study);
void write_study(const std::string& path, const StudyFile& study);

// Throws firm::Error naming the line, the key, what was expected and what was found. Data files are
// not looked at.
StudyFile read_study(const std::string& path);

}  // namespace firm
