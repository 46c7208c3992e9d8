#include "tomo/attenuated/sweep.h"

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

// Sizes of a frame's rows and of the buffers of a sweep, in floats.
struct Sizes {
  std::ptrdiff_t inner;
  std::ptrdiff_t width;  // pixels
  std::ptrdiff_t height;
  std::ptrdiff_t count;  // elements of a row

  Sizes(const TransmittanceFrame& f, std::size_t columns_inside)
      : inner(static_cast<std::ptrdiff_t>(columns_inside)),
        width(f.width),
        height(f.height),
        count(width * inner) {}

  static std::ptrdiff_t round_up(std::ptrdiff_t n) { return (n + 15) / 16 * 16; }
  std::ptrdiff_t slack() const { return static_cast<std::ptrdiff_t>(kSweepSlack); }
  std::ptrdiff_t row() const { return round_up(count + slack()); }
  // A steep sweep: the rays of all rows.
  std::ptrdiff_t rays() const { return round_up((width + height + 8) * inner + slack()); }
  // A flat sweep: a row, and on either side as many zeros.
  std::ptrdiff_t margin() const { return (width + 6) * inner; }
  std::ptrdiff_t wide_row() const { return round_up(2 * margin() + count + slack()); }
  std::ptrdiff_t sweep() const { return std::max(rays(), 3 * wide_row()); }
  std::ptrdiff_t image() const { return height * row(); }
  std::ptrdiff_t all(std::size_t sweeps) const {
    return static_cast<std::ptrdiff_t>(sweeps) * (sweep() + row()) + row() + image();
  }
};

// Whole part and fraction of a position.
struct Place {
  std::ptrdiff_t whole;
  float fraction;
};

Place place(double x) {
  const double whole = std::floor(x);
  return {static_cast<std::ptrdiff_t>(whole), static_cast<float>(x - whole)};
}

// A sweep on its way through the rows.
class RowSweep {
 public:
  RowSweep(const Sizes& sizes, const Sweep& sweep, const float* rows, std::size_t row_floats,
           const TransmitFunctions& kernel, float* buffers, float* path)
      : sizes_(sizes),
        sweep_(sweep),
        rows_(rows),
        row_floats_(static_cast<std::ptrdiff_t>(row_floats)),
        kernel_(kernel),
        buffers_(buffers),
        path_(path) {
    if (steep()) {
      std::fill_n(buffers, sizes.rays(), 0.0f);
      return;
    }
    std::fill_n(buffers, 3 * sizes.wide_row(), 0.0f);
    // A ray that passes the whole image within a row does so, too, if it is flatter.
    const double far = 4.0 * static_cast<double>(sizes.width) + 8;
    sweep_.across = std::clamp(sweep_.across, -far, far);
  }

  bool down() const { return sweep_.down; }
  float weight() const { return static_cast<float>(sweep_.weight); }

  // The paths to the pixels of the next row.
  const float* next(std::ptrdiff_t row) {
    const float* values = rows_ + row * row_floats_;
    if (steep()) {
      next_steep(values);
    } else {
      next_flat(values);
    }
    ++passed_;
    return path_;
  }

 private:
  bool steep() const { return sweep_.values == RowValues::kPixels; }

  void next_steep(const float* mu) {
    const Place at = place(sweep_.across * static_cast<double>(passed_));
    const auto scale = static_cast<float>(sweep_.scale);
    const std::ptrdiff_t first = sweep_.across >= 0 ? sizes_.height + 4 : 4;
    SteepRow row{};
    row.mu = mu;
    row.sum = buffers_ + (first - at.whole) * sizes_.inner;
    row.path = path_;
    row.count = sizes_.count;
    row.inner = sizes_.inner;
    row.before = scale * at.fraction;
    row.after = scale * (1 - at.fraction);
    row.own = scale * 0.5f;
    row.fraction = at.fraction;
    kernel_.steep_row(row);
  }

  void next_flat(const float* total) {
    const double h = sweep_.across;
    const Place at = place(h * static_cast<double>(passed_));
    const Place next = place(h * static_cast<double>(passed_ + 1));
    // The ray through a pixel's centre enters the row half a row's way before.
    const Place centre = place(0.5 - 0.5 * h - static_cast<double>(at.fraction));
    const std::ptrdiff_t far = sizes_.width + 3;
    const auto scale = static_cast<float>(sweep_.scale);
    float* buffer[3];
    for (int k = 0; k < 3; ++k) buffer[k] = buffers_ + k * sizes_.wide_row() + sizes_.margin();
    FlatRow row{};
    row.total = total;
    row.in = buffer[passed_ % 2];
    row.out = buffer[1 - passed_ % 2];
    row.enter = buffer[2];
    row.path = path_;
    row.count = sizes_.count;
    row.inner = sizes_.inner;
    row.from = std::clamp(centre.whole, -far, far) * sizes_.inner;
    row.step = std::clamp(next.whole - at.whole, -far, far) * sizes_.inner;
    row.fraction = at.fraction;
    row.next = next.fraction;
    row.near = scale * (1 - centre.fraction);
    row.far = scale * centre.fraction;
    row.half = scale * 0.5f;
    kernel_.flat_row(row);
  }

  Sizes sizes_;
  Sweep sweep_;
  const float* rows_;
  std::ptrdiff_t row_floats_;
  const TransmitFunctions& kernel_;
  float* buffers_;
  float* path_;
  std::ptrdiff_t passed_ = 0;  // rows
};

// The sweeps of an angle, joined: T = 2^-(path of the beam) * sum of weight * 2^-(path).
class Joined {
 public:
  Joined(const TransmittanceLayout& layout, const AttenuationFrames& frames,
         const TransmitFunctions& kernel, const SweepTask& task, float* scratch)
      : frame_(layout.frames()[task.frame]),
        sizes_(frame_, layout.inner()),
        kernel_(kernel),
        out_(task.out + task.plane * frame_.plane_elements) {
    for (const Sweep& s : task.sweeps) {
      float* path = scratch + sizes_.sweep();
      sweeps_.emplace_back(sizes_, s, frames.rows(task.frame, s, task.plane),
                           frames.row_floats(task.frame), kernel, scratch, path);
      scratch = path + sizes_.row();
    }
    row_ = scratch;
    image_ = scratch + sizes_.row();
    for (const RowSweep& s : sweeps_) stores_ |= s.down() != sweeps_.front().down();
  }

  std::ptrdiff_t height() const { return sizes_.height; }

  // First the detectors that sweep against the beam, k = 0 .. height() - 1.
  void store_row(std::ptrdiff_t k) {
    const bool down = !sweeps_.front().down();
    if (stores_) take(at(k, down), down, true, image_ + at(k, down) * sizes_.row());
  }

  // Then the others and the beam.
  void finish_row(std::ptrdiff_t k) {
    RowSweep& beam = sweeps_.front();
    const std::ptrdiff_t row = at(k, beam.down());
    float* stored = stores_ ? image_ + row * sizes_.row() : row_;
    const float* others = take(row, beam.down(), !stores_, stored);
    const float* path = beam.next(row);
    const auto finish = single() ? kernel_.power_of_sum : kernel_.times_power;
    finish(path, others, sizes_.count, out_ + static_cast<std::size_t>(row) * frame_.row_elements);
  }

 private:
  bool single() const { return sweeps_.size() == 2; }
  std::ptrdiff_t at(std::ptrdiff_t k, bool down) const { return down ? k : sizes_.height - 1 - k; }

  // Takes the detectors that sweep this way one row further. Returns the path of a single
  // detector, or adds the powers of all to `sum`.
  const float* take(std::ptrdiff_t row, bool down, bool first, float* sum) {
    if (first && !single()) std::fill_n(sum, sizes_.count, 0.0f);
    for (std::size_t k = 1; k < sweeps_.size(); ++k) {
      RowSweep& sweep = sweeps_[k];
      if (sweep.down() != down) continue;
      const float* path = sweep.next(row);
      if (single() && first && down == sweeps_.front().down()) return path;
      if (single()) {
        std::copy_n(path, sizes_.count, sum);
      } else {
        kernel_.add_power(path, sweep.weight(), sizes_.count, sum);
      }
    }
    return sum;
  }

  const TransmittanceFrame& frame_;
  Sizes sizes_;
  const TransmitFunctions& kernel_;
  std::uint16_t* out_;
  std::vector<RowSweep> sweeps_;
  float* row_;
  float* image_;
  bool stores_ = false;
};

}  // namespace

SweepScratch::SweepScratch(const TransmittanceLayout& layout, std::size_t detectors, int threads) {
  for (int k = 0; k < threads; ++k) workers_.emplace_back(floats(layout, detectors));
}

std::size_t SweepScratch::floats(const TransmittanceLayout& layout, std::size_t detectors) {
  std::ptrdiff_t most = 0;
  for (const TransmittanceFrame& f : layout.frames()) {
    most = std::max(most, Sizes(f, layout.inner()).all(detectors + 1));
  }
  return static_cast<std::size_t>(most) * sweep_batch(layout);
}

std::size_t SweepScratch::bytes() const {
  return workers_.empty() ? 0 : workers_.size() * workers_.front().size() * sizeof(float);
}

void make_transmittance(const TransmittanceLayout& layout, const AttenuationFrames& frames,
                        const TransmitFunctions& kernel, const std::vector<SweepTask>& tasks,
                        float* scratch) {
  std::vector<Joined> all;
  all.reserve(tasks.size());
  std::ptrdiff_t height = 0;
  for (const SweepTask& task : tasks) {
    all.emplace_back(layout, frames, kernel, task, scratch);
    scratch += Sizes(layout.frames()[task.frame], layout.inner()).all(task.sweeps.size());
    height = std::max(height, all.back().height());
  }
  for (std::ptrdiff_t k = 0; k < height; ++k) {
    for (Joined& joined : all) joined.store_row(k);
  }
  for (std::ptrdiff_t k = 0; k < height; ++k) {
    for (Joined& joined : all) joined.finish_row(k);
  }
}

}  // namespace firm
