// StudyData: the data files of a study, from study.toml to the values that a solver fits.
//
// Opens the data of a site when it is first needed, at most once, and keeps it open until the
// object is destroyed. An open file costs a descriptor and its headers; measurements are read by
// estimate(), prepare() and load() only. Folders with a file for each angle are checked once, but
// too many to stay open: their files are opened again for reading.
//
// Sites are independent: a site of a federation, which has no data but its own, may call everything
// that takes the name of a site.
//
// Errors in a study or a data file are a firm::Error that names the file, the dataset, what was
// expected and what was found. They count slices, angles and beamlets from 0, after binning.
//
// Not thread-safe: HDF5 and TIFF files are read by one thread at a time, whichever objects own
// them. A child process must not use an object of its parent, with which it would share file
// offsets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/slice_range.h"
#include "firm/study.h"
#include "io/study/study_file.h"
#include "prep/diagnose/causes.h"
#include "prep/prepare.h"
#include "prep/site_source.h"

namespace firm {

struct LoadedStudy {
  Study study;                             // the XRT site last
  std::vector<SiteData> data;              // data[i].site == i
  std::vector<PreparationReport> reports;  // in the order of study.sites
};

// Numbers that were estimated from the data of a site.
struct SiteEstimates {
  std::optional<AxisReport> axis;
  std::optional<NoiseReport> noise;
};

// Numbers of a site that a refinement has found. Those that are left out stay as they are.
struct RefinedValues {
  std::optional<double> rotation_axis = {};  // beamlets of the file
  std::optional<double> angle_scale = {};
  std::optional<double> lag = {};    // beamlets of the file
  std::optional<double> scale = {};  // from the numbers of the file to g/cm^2
  bool coupled = true;               // false: the scale is not known, so XRT ignores the site
  std::vector<double> shifts = {};   // one per angle; empty: left out
  std::vector<double> shifts_vertical = {};
  std::vector<double> gain = {};
};

class StudyData {
 public:
  // Opens nothing. Data files are relative to the directory of `path`, the path of the study.
  StudyData(StudyFile file, std::string path);

  // The study; estimate() replaces its unknown numbers.
  const StudyFile& file() const { return file_; }
  const std::string& path() const { return path_; }

  // Warning about sites without a sigma beside others that have one; empty: none. Their noise is
  // estimated.
  const std::string& noise_warning() const { return noise_warning_; }

  // Name, kind, numbers and geometry of a site. Image and pixel size are those of the study, angles
  // and (binned) beamlets those of the data file. The spacing between beamlets of the file is that
  // of the study, else that of the data file, else the pixel size. The rotation axis is that of the
  // study, else that of the data file, else the middle of the detector, where it also is as long as
  // it is to be estimated.
  Site site(const std::string& name);
  // All sites, the XRT site last; the others keep their order. Checks that units and normalization
  // of each data file fit the study, and that sites of one scan have as many angles.
  Study geometries();

  // Estimates rotation_axis = "auto" and sigma = "counts" or "estimate" from at most eight slices
  // in the middle of the study, so that they do not depend on how slices are spread over shards.
  // Reads nothing where nothing is unknown, or was estimated before.
  void estimate();
  void estimate(const std::string& site);
  // Whether any number has been estimated; the numbers of one site.
  bool estimated_any() const;
  const SiteEstimates& estimates(const std::string& site) const;

  // Throws firm::Error if the numbers of an XRF site are counts that the study has no scale for.
  // Without a name: all sites.
  void refuse_counts(const std::string& site);
  void refuse_counts();
  // Throws firm::Error if a scale = "auto" is still open: such a site must not be coupled.
  void require_scales(const std::string& site);
  void require_scales();

  // Warns if the element of the site looks like a share of another one of its file that `unmix`
  // does not remove; empty: no warning.
  std::string warn_cross_talk(const std::string& site);

  // Puts found values into the study, as if they had been in its file: file() is the refined study.
  // What was estimated about the noise of the site is estimated again.
  void set_refined(const std::string& site, const RefinedValues& values);

  // The study with what has been estimated about it so far.
  struct Numbers {
    StudyFile file;
    std::vector<SiteEstimates> estimates;  // by index in file.sites
  };
  Numbers numbers() const { return {file_, estimates_}; }
  // Goes back to earlier numbers of this study, from before a refinement. Files stay open.
  void restore(const Numbers& numbers);

  // Looks for signs that the study describes the data of a site wrongly (prep/diagnose), in the
  // slices that estimate() uses. Reports of prepare() have the warnings from then on. Errors in the
  // data are left to prepare(). Without a name: all sites, also compared with XRT.
  void diagnose(const std::string& site);
  void diagnose();

  // Likely causes why a run misses the data of a site, from the same slices. `sigma`: noise that
  // the fit was judged with. `compare`: the data of all sites is here, so compares the site with
  // them.
  std::vector<Cause> causes(const std::string& site, double sigma, bool compare);

  // Values and weights of some slices of a site; estimates first what is unknown. A slice has the
  // same values whichever others are prepared with it.
  PreparedSite prepare(const std::string& site, const SliceRange& slices);
  // All sites, diagnosed, as one study of these slices. Checks all geometries before it reads
  // measurements.
  LoadedStudy load(const SliceRange& slices);

 private:
  std::size_t index_of(const std::string& site) const;
  std::vector<std::size_t> xrt_last() const;
  SiteSource source(std::size_t site);
  void check_scans();
  // Adds a warning if the axis of the site contradicts that of an earlier one of the same scan.
  void compare_axis(std::size_t site);
  void estimate(std::size_t site);
  std::optional<PreparedSite> diagnose(std::size_t site);
  PreparedSite prepare(std::size_t site, const SliceRange& slices);

  StudyFile file_;
  std::string path_;
  std::vector<std::optional<OpenSite>> open_;  // by index in file_.sites; none: not opened yet
  std::string noise_warning_;
  std::vector<SiteEstimates> estimates_;             // by index in file_.sites
  std::vector<std::vector<std::string>> diagnoses_;  // warnings, by index in file_.sites
};

// Name, image and slices of a study, without sites.
Study study_without_sites(const StudyFile& file);

// All slices of the study.
SliceRange all_slices(const StudyFile& file);

}  // namespace firm
