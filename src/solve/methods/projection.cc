#include "solve/methods/projection.h"

#include <algorithm>

#include "firm/error.h"

namespace firm {
namespace {

constexpr int kNewtonSteps = 4;

}  // namespace

PixelProjection::PixelProjection(std::vector<double> c)
    : c_(std::move(c)), breaks_(c_.size()), pixel_(c_.size() + 1) {
  for (const double c_i : c_) FIRM_CHECK(c_i > 0);
}

double PixelProjection::root_by_sorting(std::span<const double> v) {
  const std::size_t n = c_.size();
  for (std::size_t i = 0; i < n; ++i) breaks_[i] = {-v[i] / c_[i], i};
  std::sort(breaks_.begin(), breaks_.end(), [](const Break& a, const Break& b) {
    return a.at < b.at || (a.at == b.at && a.variable < b.variable);
  });
  // On the piece where the first k breaks are passed: phi(l) = v_N - l - sum_{i passed} c_i (v_i +
  // l c_i) = value - slope l. Its root is that of phi when it lies before the next break.
  double value = v[n];
  double slope = 1;
  double l = value;
  for (const Break& b : breaks_) {
    if (l <= b.at) break;
    value -= c_[b.variable] * v[b.variable];
    slope += c_[b.variable] * c_[b.variable];
    l = value / slope;
  }
  return l;
}

// Computes the root of each pixel's piece, and the piece that contains it; returns true if a piece
// has changed.
bool PixelProjection::newton_step(const double* values, Pieces& pieces) const {
  Pieces next;
  double root[kBatch];
  const double* last = values + c_.size() * kBatch;
  for (std::size_t k = 0; k < kBatch; ++k) {
    root[k] = pieces.value[k] / pieces.slope[k];
    next.value[k] = last[k];
    next.slope[k] = 1;
  }
  for (std::size_t i = 0; i < c_.size(); ++i) {
    const double c = c_[i];
    const double* v = values + i * kBatch;
    for (std::size_t k = 0; k < kBatch; ++k) {
      const double positive = v[k] + root[k] * c > 0 ? c : 0.0;
      next.value[k] -= positive * v[k];
      next.slope[k] += positive * positive;
    }
  }
  bool changed = false;
  for (std::size_t k = 0; k < kBatch; ++k) {
    changed |= next.value[k] != pieces.value[k] || next.slope[k] != pieces.slope[k];
  }
  pieces = next;
  return changed;
}

// Solves by sorting the pixels whose root is not on its own piece yet.
void PixelProjection::sort_the_rest(const double* values, const Pieces& pieces) {
  Pieces next = pieces;
  if (!newton_step(values, next)) return;
  for (std::size_t k = 0; k < kBatch; ++k) {
    if (next.value[k] == pieces.value[k] && next.slope[k] == pieces.slope[k]) continue;
    for (std::size_t i = 0; i < pixel_.size(); ++i) pixel_[i] = values[i * kBatch + k];
    root_[k] = root_by_sorting(pixel_);
  }
}

void PixelProjection::project(std::span<double> values) {
  const std::size_t n = c_.size();
  FIRM_CHECK(values.size() == (n + 1) * kBatch);
  double* last = values.data() + n * kBatch;
  // The piece at l = infinity, where all variables are positive.
  Pieces pieces;
  for (std::size_t k = 0; k < kBatch; ++k) {
    pieces.value[k] = last[k];
    pieces.slope[k] = 1;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < kBatch; ++k) {
      pieces.value[k] -= c_[i] * values[i * kBatch + k];
      pieces.slope[k] += c_[i] * c_[i];
    }
  }
  int steps = 0;
  while (steps < kNewtonSteps && newton_step(values.data(), pieces)) ++steps;
  for (std::size_t k = 0; k < kBatch; ++k) root_[k] = pieces.value[k] / pieces.slope[k];
  if (steps == kNewtonSteps) sort_the_rest(values.data(), pieces);

  std::fill_n(last, kBatch, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    double* v = values.data() + i * kBatch;
    for (std::size_t k = 0; k < kBatch; ++k) {
      const double moved = v[k] + root_[k] * c_[i];
      v[k] = moved > 0 ? moved : 0.0;
      last[k] += c_[i] * v[k];
    }
  }
}

}  // namespace firm
