// Factor f_i from counts to g/cm^2 of each XRF site whose scale is open, by comparison with XRT.
//
//     b_N ~ sum_i f_i c_i A_N w_i ,   f_i >= 0            w_i: image of site i, in counts
//
// w_i is the image of the site's own data, so the noise of counts hardly biases f. Every iteration
// takes two sums over the sites: the residual e = sum_i f_i q_i - b_N with q_i = c_i A_N w_i, and
// from XRT its weights p (0: masked) and p e. Then f_i <- (f_i - <q_i, p e> / (m <q_i, p q_i>))_+
// for each of m open sites, which lowers the misfit.
//
// If there is other matter, XRF explains at most what XRT shows. What XRT leaves to a site, over
// its q_i, is f_i on rays without other matter and more on the others: f_i is the lower edge of
// these ratios on the rays where the site is strong. Other matter that is wherever the element is
// cannot be told from it. So f_i counts as known only if the element becomes about as dense as it
// is as a solid, which leaves no room for other matter.
//
// The uncertainty is that of leaving out blocks of angles, and the spread of the lower edge or the
// part of XRT that stays unexplained. A site with an uncertainty above 30 % is not coupled.
#pragma once

#include "align/scan_refiner.h"

namespace firm {

class ScaleRefiner : public ScanRefiner {
 public:
  void conclude(AlignState& state, Collective& collective, Refinement& result) override;
};

}  // namespace firm
