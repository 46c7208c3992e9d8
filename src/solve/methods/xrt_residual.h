// XrtResidual: the XRT data as firm-ds uses it. Only the process that hosts XRT has b_N and its
// weights W; every site knows whether there are weights, and the discrepancy level of XRT.
#pragma once

#include <vector>

#include "model/collective.h"
#include "model/problem.h"

namespace firm {

class XrtResidual {
 public:
  // `levels`: discrepancy levels of the hosted columns. All processes of a run call it.
  XrtResidual(const Problem& problem, const std::vector<double>& levels, Collective& collective);

  // Reads b_N and W again after a refiner has changed them; does nothing where XRT is not hosted.
  void read_data(const Problem& problem);

  std::size_t rays() const { return data_.rows(); }
  // b_N; 0 where XRT is not hosted.
  float measured(std::size_t ray, std::size_t slice) const { return data_(ray, slice); }
  // Replaces e by W e in every process. If there are weights, this takes a sum to which only site N
  // contributes.
  void weigh(Block& e, Collective& collective);
  // Returns <e, W e> of a slice, given W e.
  double squared(const Block& weighted, std::size_t slice) const;
  bool met(double squared, std::size_t slice) const;

 private:
  Block data_;                  // rays_N x slices
  Block weights_;               // rays_N x slices; empty: all 1, or XRT is not hosted
  Block plain_;                 // e, if XRT has weights
  std::vector<double> levels_;  // level of each slice
};

}  // namespace firm
