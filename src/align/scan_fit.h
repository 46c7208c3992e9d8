// ScanFit: images of the hosted sites of a scan on a coarse grid, fitted to resampled data.
//
//     minimise || W^1/2 (A w - b) ||^2,  w >= 0          each column by itself
//
// by accelerated gradient steps with restart, from the images of the call before. A is fixed:
// shifts and axes are in the data. Results do not depend on the number of threads.
#pragma once

#include <memory>
#include <vector>

#include "core/column_loop.h"
#include "firm/projector.h"

namespace firm {

class ScanFit {
 public:
  ScanFit(const Geometry& geometry, std::size_t columns, int threads);

  const Geometry& geometry() const { return projector_->geometry(); }
  std::size_t bins() const { return static_cast<std::size_t>(geometry().beamlets); }
  std::size_t angles() const { return geometry().angles.size(); }
  std::size_t columns() const { return columns_; }

  // Data and weights in [0, 1]: rays x columns. Fill them before fit().
  Block& data() { return data_; }
  Block& weights() { return weights_; }
  const Block& data() const { return data_; }
  const Block& weights() const { return weights_; }

  Block& images() { return w_; }
  const Block& images() const { return w_; }

  // Takes steps, then updates predicted(): A w.
  void fit(int steps);
  const Block& predicted() const { return predicted_; }
  // Updates predicted() for images that were replaced.
  void predict() { projector_->forward(w_, predicted_); }

 private:
  void step(std::vector<double>& momentum);

  std::unique_ptr<Projector> projector_;
  std::size_t columns_;
  double inverse_norm_;  // 1 / lambda_max(A^T A)
  ColumnLoop image_loop_;
  ColumnLoop ray_loop_;
  Block data_;
  Block weights_;
  Block w_;
  Block point_;
  Block gradient_;
  Block predicted_;
};

}  // namespace firm
