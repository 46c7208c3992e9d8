// AlignState: scans and sites as far as they are known during an alignment.
//
// An alignment works on levels of coarser and coarser grids, coarse first: on level L a pixel and a
// bin are L beamlets wide. The original data of every hosted site is resampled at the present axis
// and shifts, so the matrix of a level is fixed and images and residuals change smoothly with them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "align/resample.h"
#include "align/scan_fit.h"
#include "firm/study.h"

namespace firm {

// A site whose data is in this process.
struct AlignSite {
  std::size_t site = 0;  // index in Study::sites
  // Returns some slices of its data, the same ones each time, with this lag (beamlets) removed.
  std::function<SiteData(double lag)> data = {};
  double lag = 0;  // to start with
  // Whether the detector's signal, which lags, is exp(-b), not b.
  bool logarithm = false;
  bool open_scale = false;   // values are counts of an unknown scale
  bool mixed = false;        // values have a share of another element: their scale cannot be found
  double solid_density = 0;  // of the element, g/cm^3; 0: unknown
};

// Evidence of a shift at each angle, from the residual of a site: N / D, in bins.
struct Slopes {
  std::vector<double> n;  // sum p' r / s^2
  std::vector<double> d;  // sum p'^2 / s^2
  std::vector<double> v;  // variance of N, if all of the residual is noise
};

struct SiteState {
  AlignSite source;
  std::size_t scan = 0;  // index in AlignState::scans()
  bool transmission = false;
  double sigma = 1;
  std::size_t beamlets = 0;
  double axis = 0;  // beamlets, edge coordinates
  double axis_uncertainty = 0;
  double lag = 0;  // beamlets
  std::vector<double> gain;
  std::size_t slices = 0;
  std::vector<RowSums> rows;      // angle * slices + slice
  std::vector<RowSums> measured;  // the same with the lag, if there is one
  std::size_t first_column = 0;   // in the fit of its scan
  Slopes slopes;

  // Reads the data with the present lag.
  void read();
};

struct ScanState {
  std::string name;
  std::vector<std::size_t> sites;   // of the study
  std::vector<std::size_t> hosted;  // in AlignState::sites()
  std::vector<double> nominal;      // angles of the study, radians
  double spacing = 0;               // cm
  double angle_scale = 1;
  std::vector<double> shifts;    // beamlets
  std::vector<char> used;        // angles that count; all, unless some are left out
  std::unique_ptr<ScanFit> fit;  // null if no site of the scan is hosted

  std::vector<double> angles() const;
};

// The numbers of all scans and sites, and images, to return to after a trial.
struct AlignSnapshot {
  struct Scan {
    double angle_scale = 1;
    std::vector<double> shifts;
    Block images;
  };
  struct OfSite {
    double axis = 0;
    double lag = 0;
    std::vector<double> gain;
  };
  std::vector<Scan> scans;
  std::vector<OfSite> sites;
};

class AlignState {
 public:
  // Throws firm::Error if sites of one scan differ in angles or spacing.
  AlignState(const Study& study, const std::vector<AlignSite>& hosted, int threads);

  const Study& study() const { return study_; }
  std::vector<ScanState>& scans() { return scans_; }
  std::vector<SiteState>& sites() { return sites_; }
  const std::vector<ScanState>& scans() const { return scans_; }
  const std::vector<SiteState>& sites() const { return sites_; }
  ScanState& scan_of(const SiteState& site) { return scans_[site.scan]; }
  int threads() const { return threads_; }

  // Width of bins on the present level, in beamlets.
  int level() const { return level_; }
  // Levels for this study, coarse first: 8, 4, 2, 1.
  std::vector<int> levels() const;
  // Grid and rays of a scan on the present level; the same in all processes.
  Geometry geometry_of(const ScanState& scan) const;
  // Changes the level; images of the level before, if there are any, become the start.
  void set_level(int level);
  // Makes the matrices again, for other angles; keeps the images.
  void remake_fits();
  void forget_images();

  AlignSnapshot snapshot() const;
  // Goes back to a snapshot of the same level.
  void restore(const AlignSnapshot& snapshot);

  // Resamples the data of all hosted sites at the present numbers.
  void resample();
  // Resamples, takes steps, and measures the slopes.
  void fit(int steps);
  // sum (A w - b)^2 / s^2 of a hosted site on the present level, and the number of its values, over
  // the angles from `first` to before `last`.
  struct Misfit {
    double squares = 0;
    double values = 0;
  };
  Misfit misfit(const SiteState& site, std::size_t first, std::size_t last) const;
  // Misfit to the data as it was measured: the lag of the site is added to A w instead of removed
  // from b, so that misfits at different lags have the same noise.
  Misfit lagged_misfit(const SiteState& site, std::size_t first, std::size_t last) const;

 private:
  void resample(const SiteState& site, ScanFit& fit) const;
  void measure_slopes(SiteState& site, const ScanFit& fit) const;

  const Study& study_;
  int threads_;
  int level_ = 0;
  std::vector<ScanState> scans_;
  std::vector<SiteState> sites_;
};

// Copies images to a grid of other pixels around the same middle.
void copy_images(const ScanFit& from, ScanFit& to);

// Removes from `values`, one per angle, what a move of the object explains: its cos and sin part,
// and, with `constant`, its mean.
void remove_position(const std::vector<double>& angles, bool constant, std::vector<double>& values);

}  // namespace firm
