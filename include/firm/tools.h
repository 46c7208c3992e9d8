// The other verbs of the command line as calls: simulate, inspect, align, calibrate, and the search
// for a rotation axis. All throw firm::Error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firm/observer.h"
#include "firm/refinement.h"
#include "firm/scan.h"
#include "firm/site_arrays.h"

namespace firm {

// Simulates a study and writes it into a directory, which is created if needed. Options are those
// of `firm simulate` without the dashes, with their values as text: {"size", "64"}. Returns the
// paths of the files; the last is study.toml.
std::vector<std::string> simulate_study(
    const std::string& directory, const std::vector<std::pair<std::string, std::string>>& options,
    const Observer& observer = {});

// Describes a data file as `firm inspect --json` does.
struct InspectRequest {
  std::string file;
  ScanChoice choice = {};
  std::string monitor = {};  // /path/of/dataset in the HDF5 file, or a file; empty: none
};
std::string inspect_scan(const InspectRequest& request, const Observer& observer = {});

struct FoundAxis {
  bool found = false;  // false: all values are 0, and `axis` is the middle of the range
  double axis = 0;     // beamlets, edge coordinates
  double uncertainty = 0;
  double contrast = 0;  // 0 to 1: quality of the minimum
  std::vector<std::string> warnings;
};
// Finds the rotation axis of projections: XRF, or XRT after the logarithm. NaN values are left out.
// Searches `width` beamlets to each side of `middle`; default: half of the detector around its
// middle.
struct AxisRequest {
  SiteArrays arrays;  // without white and dark
  std::optional<double> middle = {};
  std::optional<double> width = {};
  bool logarithms = false;  // the values are XRT
};
FoundAxis find_axis(const AxisRequest& request);

// Finds what a scan got wrong (`firm align`) and writes the study with the numbers found.
struct AlignRequest {
  std::string study;        // file
  std::string out = {};     // study file to write; empty: none
  std::string refine = {};  // "shifts,axis"; empty: that of the study, else shifts,axis
  int threads = 0;          // 0: all
};
Refinement align_study(const AlignRequest& request, const Observer& observer = {});
// `refined` of summary.json.
std::string to_json(const Refinement& refinement);

// The scale of an XRF site, before and after calibration.
struct CalibratedSite {
  std::string name;
  std::string matter;  // compound or element; "-": unknown
  double coefficient = 0;
  double old_scale = 1;                    // from the study, or from the unit in the file
  double factor = 0;                       // 0: not found
  std::optional<double> uncertainty = {};  // of the factor
  double scale = 1;                        // g/cm^2 per number of the file
  double share = 0;                        // of XRT
  std::optional<double> inflation = {};    // of the variance, by other elements
  bool own_rays = true;                    // false: by its image, along the rays of XRT

  bool found() const { return factor > 0; }
};
struct StudyCalibration {
  std::string study;
  bool other = false;
  std::size_t values = 0;
  double residual = 0;     // relative to XRT
  double unexplained = 0;  // the same, without noise
  std::vector<CalibratedSite> sites;
  std::vector<std::string> warnings;
};
// Finds the scales of XRF data (`firm calibrate`) and writes the study with them.
struct CalibrateRequest {
  std::string study;     // file
  std::string out = {};  // study file to write; empty: none
  int threads = 0;       // 0: all
};
StudyCalibration calibrate_study(const CalibrateRequest& request, const Observer& observer = {});
// As `firm calibrate --json` prints it.
std::string to_json(const StudyCalibration& calibration, const std::string& out);

// Version of FIRM, the fastest kernel of this processor, and the versions of libraries; three
// lines.
std::string version_text();

// Mass attenuation coefficient in cm^2/g of an element or a compound at an energy in keV, from the
// tables of xraylib. None for an unknown formula or energy.
std::optional<double> attenuation_coefficient(const std::string& formula, double kev);

}  // namespace firm
