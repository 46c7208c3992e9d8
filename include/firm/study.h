// Study: the sites of an experiment, and the measurements of those that are here.
//
//     minimise   sum_i (1 / s_i^2) || A_i w_i - b_i ||^2          i = 1..N, one site each
//     subject to w_i >= 0,   w_N = sum_{i<N} c_i w_i (+ w_other)
//
// Sites 1..N-1 measure fluorescence (XRF), site N transmission (XRT). Paper: all A_i equal, all
// s_i = 1, no w_other (eq. basic_model).
//
// All sites of a federation agree on the description before the first round; each has the
// measurements of its own site alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firm/block.h"
#include "firm/geometry.h"

namespace firm {

enum class SiteKind { kXrf, kXrt };

struct Site {
  std::string name;
  SiteKind kind = SiteKind::kXrf;
  double coefficient = 0;  // c_i > 0, cm^2/g; XRF only
  // s_i > 0: standard deviation of the noise, in the unit of the data. Where all sites have the
  // same it counts as unknown (Study::weight).
  double sigma = 1;
  Geometry geometry = {};
  bool weighted_values = false;  // whether its values have weights other than 1 (SiteData)
};

// b_i of one site and its weights: rays x slices. Rays are numbered angle-major (firm/geometry.h).
struct SiteData {
  std::size_t site = 0;  // index into Study::sites
  Block values = {};
  // Weight of each value, from 0 (masked) to 1; no rows: all are 1.
  Block weights = {};
  // max(b_i) in the discrepancy rule, if it is known better than from noisy data; 0: the maximum of
  // `values`, slice by slice.
  double largest = 0;
};

struct Study {
  std::string name = {};
  int image_rows = 0;
  int image_columns = 0;
  double pixel_size = 0;  // cm
  std::size_t slices = 1;
  bool other = false;            // whether there is a w_other >= 0: matter that XRF does not see
  std::vector<Site> sites = {};  // the XRT site last
  // Measurements of the sites that are here.
  std::vector<SiteData> data = {};
  // Notes on how the data was read and prepared, warnings included; for people.
  std::vector<std::string> notes = {};

  // Adds a site and its measurements, rays x slices. The image grid and the number of slices are
  // those of the first site that is added; the XRT site stays last.
  void add(Site site, Block values, Block weights = {});

  std::size_t pixels() const {
    return static_cast<std::size_t>(image_rows) * static_cast<std::size_t>(image_columns);
  }
  const Site& xrt() const { return sites.back(); }
  // Whether all sites measure along the same rays: one matrix A, as in the paper.
  bool common_geometry() const;
  bool weighted() const;  // whether an s_i differs from another

  // 1 / s_i^2. Where all s_i are equal they say nothing: s_N is then 1, and XRF data is taken in a
  // unit in which the coefficients add up to at most 1, as in the paper: s_i of an XRF site is
  // 1 / max(1, sum_j c_j). Coefficients of 50 to 300 cm^2/g, and data that is smaller by as much,
  // then weigh as in the paper.
  double weight(std::size_t site) const;

  // Throws firm::Error naming the site, the field, what was expected and what was found.
  void validate() const;
};

// Whether two geometries describe the same rays through the same image.
bool same_rays(const Geometry& a, const Geometry& b);

}  // namespace firm
