// Study: the sites of an experiment, and the measurements of those sites whose data is in this
// process.
//
//     minimise   sum_i (1 / s_i^2) || A_i w_i - b_i ||^2          i = 1..N, one site each
//     subject to w_i >= 0,   w_N = sum_{i<N} c_i w_i (+ w_other)
//
// Sites 1..N-1 measure fluorescence (XRF), site N measures transmission (XRT). In the paper all A_i
// are equal, all s_i = 1, and there is no w_other (eq. basic_model).
//
// The sites of a federation agree on the description before the first round. Each of them has only
// its own measurements.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "firm/block.h"
#include "firm/fluorescence.h"
#include "firm/geometry.h"

namespace firm {

enum class SiteKind { kXrf, kXrt };

// Images that self-absorption is computed from: those of all elements, or that of XRT.
enum class Attenuation { kElements, kXrt };

// How the noise of a site became known.
enum class NoiseSource { kGiven, kCounts, kEstimated, kGuessed };

struct Site {
  std::string name;
  SiteKind kind = SiteKind::kXrf;
  double coefficient = 0;  // c_i, cm^2/g; XRF only. 0: the site is not coupled with XRT
  // s_i > 0: standard deviation of the noise, in the unit of the data. If it is the same for all
  // sites it counts as unknown (see Study::weight).
  double sigma = 1;
  Geometry geometry = {};
  bool weighted_values = false;  // SiteData::weights has values other than 1
  NoiseSource noise_source = NoiseSource::kGiven;
  std::string scan = {};  // sites of one scan share the motion of its stage; empty: its own
  // Self-absorption of an XRF site; none: its fluorescence is not absorbed.
  std::optional<Fluorescence> fluorescence = {};

  const std::string& scan_name() const { return scan.empty() ? name : scan; }
};

// Data b_i of one site and its weights: rays x slices. Rays are numbered angle-major
// (firm/geometry.h).
struct SiteData {
  std::size_t site = 0;  // index into Study::sites
  Block values = {};
  // Weight of each value, from 0 (masked) to 1; empty: all 1.
  Block weights = {};
  // max(b_i) for the discrepancy rule, if a better value than the maximum of noisy data is known;
  // 0: the maximum of `values` in each slice.
  double largest = 0;
  // Noise of the values, to judge the fit of a study that does not know it: a guess. 0: none.
  double guessed_sigma = 0;
};

struct Study {
  std::string name = {};
  int image_rows = 0;
  int image_columns = 0;
  double pixel_size = 0;  // cm
  std::size_t slices = 1;
  double slice_spacing = 0;  // cm; 0: the pixel size
  bool other = false;        // adds w_other >= 0: matter that XRF does not see
  Attenuation attenuation = Attenuation::kElements;  // for sites with fluorescence
  std::vector<Site> sites = {};                      // the XRT site last
  // Measurements of the sites whose data is in this process.
  std::vector<SiteData> data = {};
  // Notes on how the data was read and prepared, warnings included; for people.
  std::vector<std::string> notes = {};

  // Adds a site and its measurements, rays x slices. The first site sets the image grid and the
  // number of slices. XRF sites are inserted before the XRT site.
  void add(Site site, Block values, Block weights = {});

  std::size_t pixels() const {
    return static_cast<std::size_t>(image_rows) * static_cast<std::size_t>(image_columns);
  }
  const Site& xrt() const { return sites.back(); }
  // Returns true if all sites measure along the same rays: one matrix A, as in the paper.
  bool common_geometry() const;
  bool weighted() const;         // whether the s_i differ between the sites that are coupled
  bool self_absorption() const;  // whether the fluorescence of some site is absorbed
  // Returns true if some s_i of these is not 1, the default: the noise of the sites is known.
  bool noise_known() const;

  // Returns 1 / s_i^2. If all s_i are equal, the noise counts as unknown: s_N is then 1, and s_i of
  // an XRF site is 1 / max(1, sum_j c_j). This amounts to a unit of density in which the
  // coefficients add up to at most 1, as in the paper, even if they are 50 to 300 cm^2/g.
  double weight(std::size_t site) const;

  // Throws firm::Error naming the site, the field, what was expected and what was found.
  void validate() const;
};

// Returns true if two geometries describe the same rays through the same image.
bool same_rays(const Geometry& a, const Geometry& b);

}  // namespace firm
