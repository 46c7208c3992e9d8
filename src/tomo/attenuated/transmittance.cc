#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.h"
#include "firm/error.h"
#include "tomo/attenuated/attenuated.h"
#include "tomo/attenuated/reference_transmittance.h"
#include "tomo/kernel_choice.h"
#include "tomo/strip/strip_projector.h"
#include "tomo/wide/wide_plan.h"

namespace firm {
namespace {

Error wrong(const char* field, const std::string& expected, const std::string& found) {
  return usage_error({"self-absorption", field, expected, found});
}

const TransmittanceOptions& checked(const TransmittanceOptions& o) {
  if (o.grid != 0 && o.grid != 1 && o.grid != 2 && o.grid != 4) {
    throw wrong("grid", "0 (by the size of the image), 1, 2 or 4", fmt::format("{}", o.grid));
  }
  if (o.columns < 1) throw wrong("columns", "at least 1", fmt::format("{}", o.columns));
  if (o.threads < 0) throw wrong("threads", "0 (all) or more", fmt::format("{}", o.threads));
  return o;
}

const Geometry& checked(const Geometry& geometry) {
  geometry.validate();
  return geometry;
}

// With 256 pixels along a side, blocks of 2 x 2 pixels change the projection of an absorbing disc
// by less than its pixels do, and T takes a quarter of the memory and time.
int find_grid(const Geometry& geometry, int wanted) {
  constexpr int kFine = 256;
  if (wanted != 0) return wanted;
  return std::min(geometry.image_rows, geometry.image_columns) >= kFine ? 2 : 1;
}

bool wide_layout(const Geometry& geometry, const StripKernel* kernel, int columns) {
  return kernel == nullptr || StripProjector::uses_wide(geometry, *kernel, columns);
}

// Angles whose T must be held at once: the kernels add them up together.
std::size_t least_band(const TransmittanceLayout& layout) {
  const std::size_t together = layout.wide() ? 2 * kWideBatch : 8;
  return std::min(together, layout.geometry().angles.size());
}

// 0 if all angles fit.
std::size_t find_band(const TransmittanceLayout& layout, std::size_t max_bytes) {
  const std::size_t angles = layout.geometry().angles.size();
  const std::size_t each = layout.view_elements() * sizeof(std::uint16_t);
  if (max_bytes == 0 || angles * each <= max_bytes) return 0;
  return std::max(max_bytes / each, least_band(layout));
}

}  // namespace

void FluorescencePath::validate() const {
  if (beam != 1 && beam != -1) throw wrong("beam", "1 or -1", fmt::format("{}", beam));
  if (detectors.empty()) throw wrong("detectors", "at least one direction", "none");
  double sum = 0;
  for (const Direction& d : detectors) {
    if (!std::isfinite(d.angle)) {
      throw wrong("detectors.angle", "a finite number of radians", fmt::format("{}", d.angle));
    }
    if (!(d.weight >= 0)) {
      throw wrong("detectors.weight", "a number that is not negative", fmt::format("{}", d.weight));
    }
    sum += d.weight;
  }
  if (std::abs(sum - 1) > 1e-6) {
    throw wrong("detectors", "weights that sum to 1", fmt::format("a sum of {}", sum));
  }
}

Transmittance::Transmittance(const Geometry& geometry, FluorescencePath path,
                             const TransmittanceOptions& options)
    : path_(std::move(path)),
      threads_(thread_count(checked(options).threads)),
      kernel_(choose_kernel(options.kernel)),
      layout_(checked(geometry), static_cast<std::size_t>(options.columns),
              find_grid(geometry, options.grid), wide_layout(geometry, kernel_, options.columns)),
      band_(find_band(layout_, options.max_bytes)) {
  path_.validate();
  // The wide kernels have offsets of 32 bits.
  if (layout_.view_elements() > std::numeric_limits<std::int32_t>::max()) {
    throw wrong("columns", "fewer than 2^31 pixels times columns, or a larger grid",
                fmt::format("{}", options.columns));
  }
  kernel_name_ = kernel_ == nullptr ? "reference" : kernel_->name;
  if (band_ > 0 && band_ * layout_.view_elements() * sizeof(std::uint16_t) > options.max_bytes) {
    throw wrong("max_bytes",
                fmt::format("at least {} bytes for {} angles, or a larger grid",
                            band_ * layout_.view_elements() * sizeof(std::uint16_t), band_),
                fmt::format("{}", options.max_bytes));
  }
  if (kernel_ != nullptr) {
    frames_ = AttenuationFrames(layout_, path_);
  } else {
    const TransmittanceFrame& f = layout_.frames().front();
    const auto blocks = static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height);
    incident_ = line_ = Block(blocks, layout_.columns());
  }
  if (band_ > 0) return;
  scratch_ = std::make_unique<SweepScratch>(layout_, path_.detectors.size(), threads_);
  held_ = Buffer<std::uint16_t>(geometry.angles.size() * layout_.view_elements());
  std::fill_n(held_.data(), held_.size(), static_cast<std::uint16_t>(kFullTransmittance));
}

Transmittance::~Transmittance() = default;

void Transmittance::update(const Block& incident, const Block& line) {
  for (const Block* block : {&incident, &line}) {
    FIRM_CHECK(block->rows() == geometry().pixels() && block->columns() == columns());
  }
  if (kernel_ != nullptr) {
    frames_.set(layout_, Energy::kIncident, incident, threads_);
    frames_.set(layout_, Energy::kLine, line, threads_);
  } else {
    coarsen(layout_, incident, threads_, incident_.data());
    coarsen(layout_, line, threads_, line_.data());
  }
  if (band_ > 0) return;
  std::vector<std::size_t> all(geometry().angles.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  make(all, *scratch_, held_.data());
}

const std::uint16_t* Transmittance::held(std::size_t angle) const {
  return band_ > 0 ? nullptr : held_.data() + angle * layout_.view_elements();
}

void Transmittance::make(const std::vector<std::size_t>& angles, SweepScratch& scratch,
                         std::uint16_t* out) const {
  const std::size_t planes = layout_.planes();
  const std::size_t batch = sweep_batch(layout_);
  const std::size_t count = angles.size() * planes;
  std::atomic<std::size_t> next = 0;
  const auto workers = static_cast<std::size_t>(scratch.threads());
  parallel_for(workers, scratch.threads(), [&](std::size_t worker) {
    std::vector<SweepTask> tasks;
    for (std::size_t k = next.fetch_add(batch); k < count; k = next.fetch_add(batch)) {
      tasks.clear();
      for (std::size_t task = k; task < std::min(k + batch, count); ++task) {
        const std::size_t angle = angles[task / planes];
        std::uint16_t* view = out + task / planes * layout_.view_elements();
        if (kernel_ == nullptr) {
          make_reference(angle, view);
        } else {
          tasks.push_back(
              {make_sweeps(layout_, path_, angle), layout_.frame_of(angle), task % planes, view});
        }
      }
      if (!tasks.empty())
        make_transmittance(layout_, frames_, kernel_->transmit, tasks,
                           scratch.worker(static_cast<int>(worker)));
    }
  });
}

void Transmittance::make_reference(std::size_t angle, std::uint16_t* out) const {
  const TransmittanceFrame& f = layout_.frame(angle);
  Geometry blocks = geometry();
  blocks.image_rows = f.height;
  blocks.image_columns = f.width;
  blocks.pixel_size *= layout_.grid();
  const Block t = reference_transmittance(blocks, path_, incident_, line_, angle);
  const std::size_t row = static_cast<std::size_t>(f.width) * columns();
  for (std::size_t k = 0; k < t.size(); ++k) {
    const float fixed = std::round(t.data()[k] * kFullTransmittance);
    out[k / row * f.row_elements + k % row] =
        static_cast<std::uint16_t>(std::clamp(fixed, 0.0f, 65535.0f));
  }
}

Block Transmittance::image(std::size_t angle) const {
  FIRM_CHECK(angle < geometry().angles.size());
  const std::uint16_t* view = held(angle);
  Buffer<std::uint16_t> made;
  if (view == nullptr) {
    made = Buffer<std::uint16_t>(layout_.view_elements());
    SweepScratch scratch(layout_, path_.detectors.size(), 1);
    make({angle}, scratch, made.data());
    view = made.data();
  }
  const TransmittanceFrame& f = layout_.frame(angle);
  const Orientation& o = f.orientation;
  Block out(geometry().pixels(), columns());
  const int shift = layout_.shift();
  for (int i = 0; i < geometry().image_rows; ++i) {
    for (int j = 0; j < geometry().image_columns; ++j) {
      const int row = o.up() ? geometry().image_rows - 1 - i : i;
      const int column = o.left() ? geometry().image_columns - 1 - j : j;
      const int x = ((o.transposed ? row : column) + f.x_offset) >> shift;
      const int y = ((o.transposed ? column : row) + f.y_offset) >> shift;
      const std::size_t pixel =
          static_cast<std::size_t>(i) * static_cast<std::size_t>(geometry().image_columns) +
          static_cast<std::size_t>(j);
      for (std::size_t c = 0; c < columns(); ++c) {
        const std::size_t at = static_cast<std::size_t>(y) * f.row_elements +
                               static_cast<std::size_t>(x) * layout_.inner() +
                               (layout_.wide() ? c : c * f.plane_elements);
        out(pixel, c) = static_cast<float>(view[at]) / kFullTransmittance;
      }
    }
  }
  return out;
}

std::size_t Transmittance::bytes() const {
  return held_.size() * sizeof(std::uint16_t) + frames_.bytes() +
         (scratch_ ? scratch_->bytes() : 0) + (incident_.size() + line_.size()) * sizeof(float);
}

std::size_t Transmittance::estimate_bytes(const Geometry& geometry, int columns, int grid,
                                          std::size_t max_bytes) {
  const TransmittanceLayout layout(geometry, static_cast<std::size_t>(columns),
                                   find_grid(geometry, grid),
                                   wide_layout(geometry, choose_kernel("auto"), columns));
  const std::size_t band = find_band(layout, max_bytes);
  const std::size_t angles = band > 0 ? band : geometry.angles.size();
  const std::size_t scratch =
      SweepScratch::floats(layout, 1) * static_cast<std::size_t>(thread_count(0));
  const std::size_t frames = AttenuationFrames(layout, {}).bytes();
  return angles * layout.view_elements() * sizeof(std::uint16_t) + scratch * sizeof(float) + frames;
}

}  // namespace firm
