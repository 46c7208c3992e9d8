// XrtResidual: the XRT data as firm-ds uses it. Only the process that hosts XRT has b_N and its
// weights W; every site knows whether there are weights, and the discrepancy level of XRT.
#pragma once

#include <vector>

#include "core/archive.h"
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
  // b_N, or smooth values in its place; 0 where XRT is not hosted.
  float target(std::size_t ray, std::size_t slice) const {
    return smooth_in_use_ && smooth_.size() > 0 ? smooth_(ray, slice) : data_(ray, slice);
  }

  // Keeps smooth values for b_N, weighted as the data of the problem; only where XRT is hosted.
  void set_smooth(const Problem& problem, const Block& weighted);
  // Chooses between both; the same in all processes.
  void use_smooth(bool smooth) { smooth_in_use_ = smooth; }
  void archive(Archive& archive) { archive.values("xrt/smooth", smooth_.values()); }
  // Replaces e by W e in every process. If there are weights, this takes a sum to which only site N
  // contributes.
  void weigh(Block& e, Collective& collective);
  // Returns <e, W e> of each slice, given W e; e is the residual of b_N in any case. With smooth
  // values this takes a sum of one number per slice.
  std::vector<double> squares(const Block& weighted, Collective& collective) const;
  bool met(double squared, std::size_t slice) const;

 private:
  void take_weights_off(const Problem& problem, Block& values) const;
  double squared(const Block& weighted, std::size_t slice) const;

  Block data_;    // rays_N x slices
  Block smooth_;  // rays_N x slices; empty where XRT is not hosted
  bool smooth_in_use_ = false;
  Block weights_;               // rays_N x slices; empty: all 1, or XRT is not hosted
  Block plain_;                 // e, if XRT has weights
  std::vector<double> levels_;  // level of each slice
};

}  // namespace firm
