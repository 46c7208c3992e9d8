// study.toml: the image, the sites and their data files, and the settings of the solver.
// docs/formats.md lists the keys.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firm/site_arrays.h"

namespace firm {

// One number per angle of the data file: in a file, or in the study itself.
struct PerAngle {
  std::string file;            // relative to the study; empty: none
  std::vector<double> values;  // instead of a file; empty: none

  bool empty() const { return file.empty() && values.empty(); }
  bool operator==(const PerAngle&) const = default;
};

// Steps that prepare the values of a site (docs/data.md has their order).
struct Preparation {
  std::optional<double> saturation;  // masks raw values of at least this
  std::optional<double> zingers;     // masks single values that stand out by this much
  std::string normalize = "auto";    // "auto", "flat", "monitor", "air" or "none"
  int air = 0;                       // beamlets at each end of a row that the object never covers
  std::optional<double> clip_low;    // limits of the transmission
  std::optional<double> clip_high;
  bool minus_log = false;            // of an xrt site: the data is counts; take the logarithm
  std::string bad_values = "error";  // NaN, infinite, transmission not above 0: "error" or "mask"
  int rings = 0;                     // window of the ring removal, in beamlets; 0: none
  // Of an xrf site: converts the numbers of the file to g/cm^2; default: by the unit in the file.
  std::optional<double> scale;
  bool find_scale = false;  // scale = "auto"
  // Of an xrf site: share of another element's counts of the same file that counts as this one.
  std::map<std::string, double> unmix;
  PerAngle gain;              // strength of the beam at each angle, relative to its usual one
  std::optional<double> lag;  // beamlets of the file, of a detector that lags behind the stage

  bool operator==(const Preparation&) const = default;
};

// Where the fluorescence of an xrf site comes from and where it goes, for self-absorption.
struct FluorescenceKeys {
  std::string line;                         // "Fe Ka"; empty: by line_energy, or by the element
  std::optional<double> line_energy;        // keV
  std::optional<double> energy;             // keV, of the incident beam; default: the study's
  std::string detector_side;                // "+t" or "-t"; empty: unknown
  std::string beam_direction = "+";         // "+" or "-"
  std::optional<double> detector_distance;  // cm, from the rotation axis; default: far away
  std::optional<double> detector_diameter;  // cm

  bool operator==(const FluorescenceKeys&) const = default;
};

// Source of sigma: the study, counting statistics, or an estimate from the values.
enum class Noise { kGiven, kCounts, kEstimated };

struct SiteEntry {
  std::string name;
  std::string kind;        // "xrf" or "xrt"
  std::string scan;        // sites of one scan share stage motion and angles; empty: one of its own
  std::string data;        // file or folder, relative to the study
  std::string element;     // to read from a file with several
  std::string angles;      // file with the angles, relative to the study, if `data` has none
  std::string angle_unit;  // "deg" or "rad", instead of the one in the file; empty: that one
  std::string axes;        // "theta:y:x", if `data` does not give it
  std::string monitor;     // I0: "/..." a dataset of `data`, else a file, relative to the study
  int first_slice = 0;     // slice of the file that is the first of the study
  int binning = 1;         // number of beamlets and of detector rows averaged into one
  std::string compound;    // of an xrf site: "Fe2O3", if the coefficient is not that of `element`
  double coefficient = 0;  // cm^2/g, of an xrf site; 0: look it up at the energy
  bool looked_up = false;  // whether the coefficient comes from tables
  bool coupled = true;     // false: an xrf site whose image does not count for XRT
  FluorescenceKeys fluorescence;
  Noise noise = Noise::kGiven;
  std::optional<double> sigma;  // standard deviation of the noise, in data units; default: 1
  std::optional<double> estimated_sigma;  // set by StudyData::estimate()
  std::optional<double> spacing;          // cm, between beamlets; default: see StudyData::site()
  std::optional<double> rotation_axis;    // beamlets, edge coordinates; default: the data file's
  bool find_rotation_axis = false;        // rotation_axis = "auto"
  std::optional<double> axis_search;      // beamlets to each side of the middle to search
  double shift_x = 0;  // cm: position of the object at this site, relative to the image
  double shift_y = 0;
  PerAngle shifts;           // beamlets of the file: how much further along the detector
  PerAngle shifts_vertical;  // slices of the file: how much further along the rows of the detector
  double angle_scale = 1;    // multiplies the angles of the file, relative to the first of them
  double angle_offset = 0;   // degrees, added to the angles after that
  bool reverse_angles = false;  // changes their sign, after the offset
  Preparation prepare;
  bool external_files = false;  // HDF5 data may be in other files too, below the folder of `data`
  // SHA-256 of the public key of its certificate, hexadecimal; empty: any key signed by the
  // authority
  std::string key;
  int line = 0;  // of its table in the study file
  // Values in memory, which are used instead of the file `data`; null: none. No part of a study
  // file.
  std::shared_ptr<const SiteArrays> arrays = {};

  double sigma_value() const { return sigma.value_or(1); }
  const std::string& scan_name() const { return scan.empty() ? name : scan; }
};

// One key of [solve], which the solver interprets. Values of all types are texts here: "0.01",
// "true", "firm-ds".
struct Setting {
  std::string key;  // keys of tables within [solve] are joined with '.': "stop.discrepancy"
  std::string value;
  int line = 0;  // in the study file
};

struct StudyFile {
  std::string name;
  std::string description;
  std::string truth;   // file, relative to the study; empty: unknown
  bool other = false;  // whether there is matter that XRF does not see
  double energy = 0;   // keV, of the XRT beam; 0: unknown
  bool self_absorption = false;
  std::string attenuation = "elements";  // "elements" or "xrt": what absorption is computed from
  std::string matrix;                    // compound of `other`, or of everything with "xrt"
  int rows = 0;
  int columns = 0;
  int slices = 0;
  double pixel_size = 0;                // cm
  std::optional<double> slice_spacing;  // cm; default: the pixel size
  std::vector<SiteEntry> sites;
  std::vector<Setting> settings;  // of [solve], no key twice
};

// The file names in the entry of a site, without empty ones. They are relative to the study, and
// must change when it is written to another directory.
std::vector<std::string*> file_names(SiteEntry& site);

// Equality ignores line numbers and the order of settings.
bool operator==(const SiteEntry& a, const SiteEntry& b);
bool operator==(const Setting& a, const Setting& b);
bool operator==(const StudyFile& a, const StudyFile& b);

// The content of a study file.
std::string study_text(const StudyFile& study);
void write_study(const std::string& path, const StudyFile& study);

// Reads a study without opening its data files. Throws firm::Error that names the line, the key,
// what was expected and what was found.
StudyFile read_study(const std::string& path);
// Reads the content of a study file; `path` is its name in errors.
StudyFile parse_study(const std::string& text, const std::string& path);

}  // namespace firm
