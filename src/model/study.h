// Study: what all sites agree on before the first round. The measurements are not part of it.
//
//     minimise   sum_i (1 / s_i^2) || A_i w_i - b_i ||^2          i = 1..N, one site each
//     subject to w_i >= 0,   w_N = sum_{i<N} c_i w_i (+ w_other)
//
// Sites 1..N-1 measure fluorescence (XRF), site N transmission (XRT). Paper: all A_i equal, all
// s_i = 1, no w_other (eq. basic_model).
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
  double sigma = 1;        // s_i > 0: standard deviation of the noise, in the unit of the data;
                           // equal ones mean that it is not known (Study::weight)
  Geometry geometry;
  bool weighted_values = false;  // whether values have weights other than 1 (SiteData::weights)
};

struct Study {
  std::string name;
  int image_rows = 0;
  int image_columns = 0;
  double pixel_size = 0;  // cm
  std::size_t slices = 1;
  bool other = false;       // whether there is a w_other >= 0: matter that XRF does not see
  std::vector<Site> sites;  // the XRT site last

  std::size_t pixels() const {
    return static_cast<std::size_t>(image_rows) * static_cast<std::size_t>(image_columns);
  }
  const Site& xrt() const { return sites.back(); }
  // Whether all sites measure along the same rays: one matrix A, as in the paper.
  bool common_geometry() const;
  bool weighted() const;  // whether an s_i differs from another

  // 1 / s_i^2. Where no s_i differs from another they say nothing: s_N is then 1, and XRF data is
  // taken in a unit in which the coefficients add up to at most 1, as the paper has them: s_i of an
  // XRF site is 1 / max(1, sum_j c_j). Coefficients of 50 to 300 cm^2/g, and data that is smaller
  // by as much, then weigh as in the paper.
  double weight(std::size_t site) const;

  // Throws firm::Error naming the site, the field, what was expected and what was found.
  void validate() const;
};

// b_i of one site and its weights: rays x slices.
struct SiteData {
  std::size_t site = 0;  // index into Study::sites
  Block values = {};
  // What each value counts, from 0 (not at all: masked) to 1; no rows: all count 1.
  Block weights = {};
  // max(b_i) in the discrepancy rule, where it is known better than from noisy data; 0: that of
  // `values`, slice by slice.
  double largest = 0;
};

// Whether two geometries describe the same rays through the same image.
bool same_rays(const Geometry& a, const Geometry& b);

}  // namespace firm
