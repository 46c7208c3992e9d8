// XrtResidual: what firm-ds needs of the XRT data. b_N and its weights W are where XRT is hosted;
// every site is told whether there are weights, and the level at which XRT is met.
#pragma once

#include <vector>

#include "model/collective.h"
#include "model/problem.h"

namespace firm {

class XrtResidual {
 public:
  // `levels` are those of the hosted columns. Every process takes part.
  XrtResidual(const Problem& problem, const std::vector<double>& levels, Collective& collective);

  // Reads b_N and W again, after a refiner has changed them; those of XRT elsewhere stay elsewhere.
  void read_data(const Problem& problem);

  std::size_t rays() const { return data_.rows(); }
  // b_N; 0 where XRT is elsewhere.
  float measured(std::size_t ray, std::size_t slice) const { return data_(ray, slice); }
  // From e to W e, at every process: where there are weights, a sum to which site N alone
  // contributes.
  void weigh(Block& e, Collective& collective);
  // <e, W e> of a slice, from W e.
  double squared(const Block& weighted, std::size_t slice) const;
  bool met(double squared, std::size_t slice) const;

 private:
  Block data_;                  // rays_N x slices
  Block weights_;               // the same; no rows: all 1, or elsewhere
  Block plain_;                 // e, where there are weights, here or elsewhere
  std::vector<double> levels_;  // of the slices
};

}  // namespace firm
