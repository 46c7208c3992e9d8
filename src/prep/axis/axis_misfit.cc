#include "prep/axis/axis_misfit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "firm/projector.h"

namespace firm {
namespace {

constexpr int kSteps = 20;
// Rays times pixels along them; smaller problems run faster on one thread.
constexpr double kWorthThreads = 2e7;

// 1 / (A 1), or 1 / (A^T W); 0 where the denominator is 0.
void invert(Block& sums) {
  for (float& value : sums.values()) value = value > 1e-3f ? 1 / value : 0;
}

Block ones(std::size_t rows) {
  Block block(rows, 1);
  std::ranges::fill(block.values(), 1.0f);
  return block;
}

// The beamlets of an angle and a slice, in the order of a lag: the last first if it is negative.
class LagRow {
 public:
  LagRow(Block& values, std::size_t beamlets, std::size_t angle, std::size_t slice, bool reversed)
      : first_(values.data() + angle * beamlets * values.columns() + slice),
        columns_(values.columns()),
        last_(beamlets - 1),
        reversed_(reversed) {}
  float& operator[](std::size_t x) { return first_[(reversed_ ? last_ - x : x) * columns_]; }
  std::size_t last() const { return last_; }

 private:
  float* first_;
  std::size_t columns_;
  std::size_t last_;
  bool reversed_;
};

template <typename Work>
void for_each_lag_row(double lag, std::size_t beamlets, Block& values, const Work& work) {
  const auto a = static_cast<float>(std::exp(-1 / std::abs(lag)));
  for (std::size_t angle = 0; angle < values.rows() / beamlets; ++angle) {
    for (std::size_t z = 0; z < values.columns(); ++z) {
      LagRow row(values, beamlets, angle, z, lag < 0);
      work(a, row);
    }
  }
}

// One pole along the beamlets, with a steady state before the first.
void add_lag(double lag, std::size_t beamlets, Block& values) {
  for_each_lag_row(lag, beamlets, values, [](float a, LagRow& row) {
    for (std::size_t x = 1; x <= row.last(); ++x) row[x] = a * row[x - 1] + (1 - a) * row[x];
  });
}

// The transpose of add_lag().
void add_lag_transposed(double lag, std::size_t beamlets, Block& values) {
  for_each_lag_row(lag, beamlets, values, [](float a, LagRow& row) {
    float sum = 0;
    for (std::size_t x = row.last() + 1; x-- > 0;) {
      sum = row[x] + a * sum;
      row[x] = x == 0 ? sum : (1 - a) * sum;
    }
  });
}

// Whether an angle has a usable value.
bool seen(const Sinogram& s, std::size_t angle, std::size_t slice) {
  for (std::size_t x = 0; x < s.beamlets; ++x) {
    if (s.usable(s.index(angle, x, slice))) return true;
  }
  return false;
}

}  // namespace

AxisMisfit::AxisMisfit(const Sinogram& s, const std::vector<double>& angles,
                       const std::vector<double>& shifts, const AxisView& view, double width)
    : coarsening_(view.coarsening) {
  const std::size_t n = view.coarsening;
  const std::size_t beamlets = std::max<std::size_t>(1, s.beamlets / n);
  const auto side = std::ceil(static_cast<double>(beamlets) + 2 * width / static_cast<double>(n));
  geometry_.image_rows = geometry_.image_columns = static_cast<int>(side);
  geometry_.pixel_size = geometry_.spacing = 1;
  geometry_.beamlets = static_cast<int>(beamlets);
  for (const std::size_t a : view.angles) {
    geometry_.angles.push_back(angles[a]);
    if (!shifts.empty()) geometry_.shifts.push_back(shifts[a] / static_cast<double>(n));
  }
  values_ = Block(geometry_.rays(), view.slices.size());
  weights_ = Block(geometry_.rays(), view.slices.size());
  for (std::size_t z = 0; z < view.slices.size(); ++z) {
    const std::vector<float> slice = filled_slice(s, view.slices[z]);
    for (std::size_t a = 0; a < view.angles.size(); ++a) {
      if (!seen(s, view.angles[a], view.slices[z])) continue;
      const float* row = slice.data() + view.angles[a] * s.beamlets;
      for (std::size_t x = 0; x < beamlets; ++x) {
        float sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += row[x * n + i];
        const float b = sum / static_cast<float>(n);
        values_(a * beamlets + x, z) = b;
        weights_(a * beamlets + x, z) = 1;
        energy_ += static_cast<double>(b) * static_cast<double>(b);
      }
    }
  }
}

double AxisMisfit::at(double axis, double lag) const {
  const std::vector<double> angles = by_angle(axis, lag);
  return std::accumulate(angles.begin(), angles.end(), 0.0);
}

std::vector<double> AxisMisfit::by_angle(double axis, double lag) const {
  Geometry g = geometry_;
  g.rotation_axis = axis / static_cast<double>(coarsening_);
  const std::size_t columns = values_.columns();
  ProjectorOptions options;
  options.columns = static_cast<int>(columns);
  const double work = static_cast<double>(g.rays() * columns) * g.image_rows;
  options.threads = work < kWorthThreads ? 1 : 0;
  const auto a = make_projector(g, options);
  Block per_ray(g.rays(), 1);  // R = 1 / (A 1)
  a->forward(ones(g.pixels()), per_ray);
  invert(per_ray);
  Block per_pixel(g.pixels(), columns);  // C = 1 / (A^T W): omitted angles do not change the step
  a->adjoint(weights_, per_pixel);
  invert(per_pixel);
  Block w(g.pixels(), columns);
  Block y(g.pixels(), columns);
  Block step(g.pixels(), columns);
  Block e(g.rays(), columns);
  const auto beamlets = static_cast<std::size_t>(g.beamlets);
  std::vector<double> misfit(g.angles.size());
  double t = 1;
  for (int k = 0; k < kSteps; ++k) {
    a->forward(y, e);
    if (lag != 0) add_lag(lag, beamlets, e);
    std::ranges::fill(misfit, 0.0);
    for (std::size_t i = 0; i < e.size(); ++i) {  // e = R W (b - L A y)
      const float difference = values_.data()[i] - e.data()[i];
      const float weighted = weights_.data()[i] * difference;
      misfit[i / columns / beamlets] +=
          static_cast<double>(weighted) * static_cast<double>(difference) / energy_;
      e.data()[i] = weighted * per_ray.data()[i / columns];
    }
    if (lag != 0) add_lag_transposed(lag, beamlets, e);
    a->adjoint(e, step);
    const double next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    const auto momentum = static_cast<float>((t - 1) / next);
    for (std::size_t i = 0; i < w.size(); ++i) {  // w <- (y + C A^T L^T e)_+
      const float better = std::max(0.0f, y.data()[i] + per_pixel.data()[i] * step.data()[i]);
      y.data()[i] = better + momentum * (better - w.data()[i]);
      w.data()[i] = better;
    }
    t = next;
  }
  return misfit;
}

}  // namespace firm
