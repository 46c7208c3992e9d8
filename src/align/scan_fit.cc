#include "align/scan_fit.h"

#include <cmath>
#include <utility>

#include "firm/norm.h"

namespace firm {
namespace {

std::unique_ptr<Projector> projector_of(const Geometry& geometry, std::size_t columns,
                                        int threads) {
  ProjectorOptions options;
  options.threads = threads;
  options.columns = static_cast<int>(columns);
  return make_projector(geometry, options);
}

// An estimate from below, with room for its error. A geometry whose rays miss the image has 0.
double inverse_norm_of(Projector& projector) {
  const SpectralNorm norm = spectral_norm(projector, 0.01, 30);
  return norm.lambda_max > 0 ? 1 / (norm.lambda_max * (1.02 + norm.relative_error)) : 0;
}

}  // namespace

ScanFit::ScanFit(const Geometry& geometry, std::size_t columns, int threads)
    : projector_(projector_of(geometry, columns, threads)),
      columns_(columns),
      inverse_norm_(inverse_norm_of(*projector_)),
      image_loop_(geometry.pixels(), columns, 1, threads),
      ray_loop_(geometry.rays(), columns, 1, threads),
      data_(geometry.rays(), columns),
      weights_(geometry.rays(), columns),
      w_(geometry.pixels(), columns),
      point_(geometry.pixels(), columns),
      gradient_(geometry.pixels(), columns),
      predicted_(geometry.rays(), columns) {}

// point <- (point - A^T W (A point - b) / lambda)_+, then exchanged with w and extrapolated. Where
// <y - w+, w+ - w> > 0 the momentum of a column restarts.
void ScanFit::step(std::vector<double>& momentum) {
  projector_->forward(point_, predicted_);
  float* residual = predicted_.data();
  const float* b = data_.data();
  const float* weight = weights_.data();
  ray_loop_.run(
      [=](std::size_t k, std::size_t, float*) { residual[k] = weight[k] * (residual[k] - b[k]); });
  projector_->adjoint(predicted_, gradient_);
  const auto length = static_cast<float>(inverse_norm_);
  const float* y = point_.data();
  const float* w = w_.data();
  float* next = gradient_.data();
  image_loop_.run([=](std::size_t k, std::size_t j, float* sums) {
    const float moved = y[k] - length * next[k];
    next[k] = moved > 0 ? moved : 0;
    sums[j] += (y[k] - next[k]) * (next[k] - w[k]);
  });
  std::vector<double> beta(columns_);
  for (std::size_t c = 0; c < columns_; ++c) {
    const double before = image_loop_.sum(0, c) > 0 ? 1 : momentum[c];
    momentum[c] = (1 + std::sqrt(1 + 4 * before * before)) / 2;
    beta[c] = (before - 1) / momentum[c];
  }
  const std::vector<float> pattern = image_loop_.pattern([&](std::size_t c) { return beta[c]; });
  const float* ahead = pattern.data();
  float* point = point_.data();
  float* image = w_.data();
  image_loop_.run([=](std::size_t k, std::size_t j, float*) {
    point[k] = next[k] + ahead[j] * (next[k] - image[k]);
    image[k] = next[k];
  });
}

void ScanFit::fit(int steps) {
  std::vector<double> momentum(columns_, 1.0);
  std::copy_n(w_.data(), w_.size(), point_.data());
  for (int k = 0; k < steps; ++k) step(momentum);
  predict();
}

}  // namespace firm
