#include "tomo/attenuated/attenuation_frames.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.h"
#include "tomo/attenuated/attenuated.h"
#include "tomo/attenuated/sweep_kernel.h"

namespace firm {
namespace {

Sweep make_sweep(const Orientation& o, Energy energy, double right, double up, double pixel_size) {
  // Into the frame: x along its rows, y down.
  double x = o.transposed ? (o.up() ? up : -up) : (o.left() ? -right : right);
  double y = o.transposed ? (o.left() ? -right : right) : (o.up() ? up : -up);
  Sweep s{};
  s.energy = energy;
  s.down = y >= 0;
  const bool steep = std::abs(y) >= std::abs(x);
  s.values = steep   ? RowValues::kPixels
             : x > 0 ? RowValues::kSumsFromLeft
                     : RowValues::kSumsFromRight;
  constexpr double kFar = 1e9;  // beyond any image
  s.across = std::abs(y) * kFar <= std::abs(x) ? std::copysign(kFar, x) : x / std::abs(y);
  s.scale = pixel_size / std::max(std::abs(x), std::abs(y)) * std::numbers::log2e;
  s.weight = 1;
  return s;
}

}  // namespace

void coarsen(const TransmittanceLayout& layout, const Block& fine, int threads, float* coarse) {
  const Geometry& g = layout.geometry();
  const int grid = layout.grid();
  const std::size_t n = layout.columns();
  const auto width = static_cast<std::size_t>((g.image_columns + grid - 1) / grid);
  const auto height = static_cast<std::size_t>((g.image_rows + grid - 1) / grid);
  const float share = 1.0f / static_cast<float>(grid * grid);
  parallel_for(height, threads, [&](std::size_t row) {
    float* out = coarse + row * width * n;
    std::fill_n(out, width * n, 0.0f);
    const int begin = static_cast<int>(row) * grid;
    for (int i = begin; i < std::min(begin + grid, g.image_rows); ++i) {
      const float* in =
          fine.data() + static_cast<std::size_t>(i) * n * static_cast<std::size_t>(g.image_columns);
      for (int j = 0; j < g.image_columns; ++j, in += n) {
        float* block = out + static_cast<std::size_t>(j / grid) * n;
        for (std::size_t c = 0; c < n; ++c) block[c] += in[c];
      }
    }
    for (std::size_t k = 0; k < width * n; ++k) out[k] *= share;
  });
}

std::vector<Sweep> make_sweeps(const TransmittanceLayout& layout, const FluorescencePath& path,
                               std::size_t angle) {
  const Orientation& o = layout.frame(angle).orientation;
  const double theta = layout.geometry().angles[angle];
  const double pixel = layout.geometry().pixel_size * layout.grid();
  const auto [c, s] = direction(theta);
  std::vector<Sweep> sweeps{make_sweep(o, Energy::kIncident, -s * path.beam, c * path.beam, pixel)};
  for (const FluorescencePath::Direction& d : path.detectors) {
    // From the border that faces the detector inwards.
    const auto [dc, ds] = direction(theta + d.angle);
    sweeps.push_back(make_sweep(o, Energy::kLine, -dc, -ds, pixel));
    sweeps.back().weight = d.weight;
  }
  return sweeps;
}

AttenuationFrames::AttenuationFrames(const TransmittanceLayout& layout,
                                     const FluorescencePath& path)
    : inner_(layout.inner()) {
  for (const TransmittanceFrame& f : layout.frames()) {
    // One pixel before a row, two behind it.
    const std::size_t floats = (static_cast<std::size_t>(f.width) + 3) * inner_ + kSweepSlack;
    frames_.push_back({floats, floats * static_cast<std::size_t>(f.height), {}});
  }
  for (std::size_t k = 0; k < layout.geometry().angles.size(); ++k) {
    Frame& frame = frames_[layout.frame_of(k)];
    for (const Sweep& s : make_sweeps(layout, path, k)) {
      Buffer<float>& values = frame.values[index(s.energy, s.values)];
      if (values.size() == 0) values = Buffer<float>(layout.planes() * frame.plane_floats);
    }
  }
  if (layout.grid() > 1) {
    const TransmittanceFrame& f = layout.frames().front();
    coarse_ = Buffer<float>(static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height) *
                            layout.columns());
  }
}

std::size_t AttenuationFrames::bytes() const {
  std::size_t floats = coarse_.size();
  for (const Frame& f : frames_) {
    for (const Buffer<float>& values : f.values) floats += values.size();
  }
  return floats * sizeof(float);
}

const float* AttenuationFrames::rows(std::size_t frame, const Sweep& sweep,
                                     std::size_t plane) const {
  const Frame& f = frames_[frame];
  return f.values[index(sweep.energy, sweep.values)].data() + plane * f.plane_floats + inner_;
}

void AttenuationFrames::set(const TransmittanceLayout& layout, Energy energy,
                            const Block& attenuation, int threads) {
  if (layout.grid() > 1) coarsen(layout, attenuation, threads, coarse_.data());
  const float* image = layout.grid() > 1 ? coarse_.data() : attenuation.data();
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    const auto height = static_cast<std::size_t>(layout.frames()[k].height);
    parallel_for(layout.planes() * height, threads, [&](std::size_t task) {
      set_row(layout, k, energy, image, task / height, static_cast<int>(task % height));
    });
  }
}

void AttenuationFrames::set_row(const TransmittanceLayout& layout, std::size_t frame, Energy energy,
                                const float* image, std::size_t plane, int row) {
  const TransmittanceFrame& f = layout.frames()[frame];
  Geometry blocks;
  blocks.image_columns = f.orientation.transposed ? f.height : f.width;
  blocks.image_rows = f.orientation.transposed ? f.width : f.height;
  const std::size_t columns = layout.columns();
  const FrameSteps steps = frame_steps(
      blocks, f.orientation, columns * static_cast<std::size_t>(blocks.image_columns), columns);
  const float* first = image + steps.start + row * steps.dy;
  Frame& to = frames_[frame];
  const auto width = static_cast<std::size_t>(f.width);
  const auto out = [&](RowValues values) -> float* {
    Buffer<float>& buffer = to.values[index(energy, values)];
    if (buffer.size() == 0) return nullptr;
    return buffer.data() + plane * to.plane_floats + static_cast<std::size_t>(row) * to.row_floats +
           inner_;
  };
  float* pixels = out(RowValues::kPixels);
  float* left = out(RowValues::kSumsFromLeft);
  float* right = out(RowValues::kSumsFromRight);
  for (std::size_t c = 0; c < inner_; ++c) {
    const float* in = first + plane + c;
    const auto at = [&](std::size_t x) { return in[static_cast<std::ptrdiff_t>(x) * steps.dx]; };
    if (pixels != nullptr) {
      for (std::size_t x = 0; x < width; ++x) pixels[x * inner_ + c] = at(x);
    }
    if (left != nullptr) {
      double sum = 0;
      for (std::size_t x = 0; x <= width + 1; ++x) {
        left[x * inner_ + c] = static_cast<float>(sum);
        if (x < width) sum += static_cast<double>(at(x));
      }
    }
    if (right != nullptr) {
      double sum = 0;
      for (std::size_t x = width; x-- > 0;) {
        sum += static_cast<double>(at(x));
        right[x * inner_ + c] = static_cast<float>(sum);
      }
      (right - inner_)[c] = static_cast<float>(sum);
    }
  }
}

}  // namespace firm
