// study.toml: what a study consists of, and where its data is. docs/formats.md lists the keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace firm {

// What is done to the values of a site before they are fitted, in this order (docs/data.md).
struct Preparation {
  std::optional<double> saturation;  // raw values of at least this are masked
  std::optional<double> zingers;     // single values that stand out by this much are masked
  std::string normalize = "auto";    // by what: "auto", "flat", "monitor", "air" or "none"
  int air = 0;                       // beamlets at each end of a row that the object never covers
  std::optional<double> clip_low;    // limits of the transmission
  std::optional<double> clip_high;
  bool minus_log = false;  // of an xrt site: the data is counts, the logarithm is still to be taken
  std::string bad_values = "error";  // NaN, infinite, transmission not above 0: "error" or "mask"
  int rings = 0;                     // window of the ring removal, in beamlets; 0: none
  // Of an xrf site: from the numbers in the file to g/cm^2. Without: by the unit in the file.
  std::optional<double> scale;

  bool operator==(const Preparation&) const = default;
};

// How the noise of a site is known.
enum class Noise { kGiven, kCounts, kEstimated };

struct SiteEntry {
  std::string name;
  std::string kind;        // "xrf" or "xrt"
  std::string data;        // file or folder, relative to the study
  std::string element;     // of a file that has several: the one to read
  std::string angles;      // file with the angles, relative to the study, where `data` has none
  std::string axes;        // "theta:y:x", where `data` does not say
  std::string monitor;     // I0: "/..." a dataset of `data`, else a file, relative to the study
  int first_slice = 0;     // of the file; the image has `slices` from there on
  int binning = 1;         // beamlets and rows of the detector that become one
  std::string compound;    // of an xrf site, "Fe2O3": what the coefficient is of, if not `element`
  double coefficient = 0;  // cm^2/g, of an xrf site; 0: of the compound or element, at the energy
  bool looked_up = false;  // whether it is that of the tables
  Noise noise = Noise::kGiven;
  std::optional<double>
      sigma;  // standard deviation of the noise, in the unit of the data; without: 1
  std::optional<double> found_sigma;    // the same, where it was to be found and has been
  std::optional<double> spacing;        // cm, between beamlets; without: as prep/load_study.h says
  std::optional<double> rotation_axis;  // beamlets, edge coordinates; without: the data file's
  bool find_rotation_axis = false;      // rotation_axis = "auto"
  std::optional<double> axis_search;    // beamlets to each side of the middle to look for it
  double shift_x = 0;                   // cm: where the object is here, against the image
  double shift_y = 0;
  std::string shifts;       // file with one shift per angle, in beamlets, relative to the study
  double angle_offset = 0;  // degrees, added to the angles
  Preparation prepare;
  std::string key;  // SHA-256 of the public key of its certificate, hexadecimal; empty: any key
                    // that the authority has signed
  int line = 0;     // of its table in the file it was read from

  double sigma_value() const { return sigma.value_or(1); }
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
  double energy = 0;   // keV, of the XRT beam; 0: not known
  int rows = 0;
  int columns = 0;
  int slices = 0;
  double pixel_size = 0;  // cm
  std::vector<SiteEntry> sites;
  std::vector<Setting> settings;  // of [solve], no key twice
};

// The names of files that the table of a site has, those that are there: they are relative to the
// study, and change when it is written elsewhere.
std::vector<std::string*> file_names(SiteEntry& site);

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
