// Likely causes why a run misses the data of a site, found by trying corrections on its data.
#pragma once

#include <string>
#include <vector>

#include "firm/study.h"
#include "io/study/study_file.h"

namespace firm {

struct Cause {
  std::string text;     // what is wrong, and the key that corrects it
  bool tested = false;  // tried on the data, and it fits better
  // Root mean square of (A w - b) / sigma of the site alone with the correction; 0: not tested. It
  // is from coarse data, and above that of a run with the correction if there is hardly any noise.
  double fit = 0;
};

// Facts that the data does not contain.
struct CauseHints {
  double sigma = 0;              // noise that the fit was judged with; 0: estimated from the values
  bool minus_log = false;        // the preparation took the logarithm
  bool axis_found = false;       // the rotation axis was estimated from the data
  bool shifted = false;          // the study has shifts of the stage
  bool read_as_radians = false;  // by a key of the study
  bool calibrated = false;       // XRF is in g/cm^2: by its unit, or by `scale`
  bool other = false;            // the study allows for matter that XRF does not see
  bool absorbed = false;         // the study has self-absorption
  int binning = 1;               // beamlets of the file in one of the data, for texts
  // The other XRF sites and their data, if they are in this process: with all of them the
  // comparison with XRT is strict. XRT itself is compared with them if there are two or more. All
  // data has the same slices.
  std::vector<const Site*> others = {};
  std::vector<const SiteData*> others_data = {};
};

// Hints from the entry of a site, before StudyData::estimate() replaces an unknown axis; leaves
// sigma and the other sites open. `unit`: of the data file.
CauseHints cause_hints(const StudyFile& file, const SiteEntry& entry, const std::string& unit);

// Likely causes why a site's data is missed: tested ones first, the best fit first; then those that
// cannot be tested with this data, in the order of docs/data.md. Omits causes that were tested and
// do not help. `xrt` and `xrt_data` may be null, and are ignored for the XRT site itself.
//
// Takes about a second, however large the data is.
std::vector<Cause> likely_causes(const Site& site, const SiteData& data, const Site* xrt,
                                 const SiteData* xrt_data, const CauseHints& hints);

}  // namespace firm
