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
  static constexpr std::ptrdiff_t chunk() { return kSweepChunk + 16; }
  // A steep sweep: the rays of all rows.
  std::ptrdiff_t rays() const { return round_up((width + height + 8) * inner + slack()); }
  // A flat sweep: two rows, and on either side as many zeros.
  std::ptrdiff_t margin() const { return (width + 6) * inner; }
  std::ptrdiff_t wide_row() const { return round_up(2 * margin() + count + slack()); }
  std::ptrdiff_t sweep() const { return std::max(rays(), 2 * wide_row()); }
  std::ptrdiff_t all(std::size_t sweeps) const {
    return static_cast<std::ptrdiff_t>(sweeps) * sweep() + 3 * chunk();
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

// Part of a row, in elements.
struct Chunk {
  std::ptrdiff_t begin;
  std::ptrdiff_t count;
};

// A sweep on its way through the rows.
class RowSweep {
 public:
  RowSweep(const Sizes& sizes, const Sweep& sweep, const float* rows, std::size_t row_floats,
           const TransmitFunctions& kernel, float* buffers)
      : sizes_(sizes),
        sweep_(sweep),
        rows_(rows),
        row_floats_(static_cast<std::ptrdiff_t>(row_floats)),
        kernel_(kernel),
        buffers_(buffers) {
    if (steep()) {
      std::fill_n(buffers, sizes.rays(), 0.0f);
      return;
    }
    std::fill_n(buffers, 2 * sizes.wide_row(), 0.0f);
    const float* total = values(first_row());
    float* enter = buffers + sizes.margin();
    for (std::ptrdiff_t x = -sizes.inner; x < sizes.count + sizes.inner; ++x) enter[x] = -total[x];
    // A ray that passes the whole image within a row does so, too, if it is flatter.
    const double far = 4.0 * static_cast<double>(sizes.width) + 8;
    sweep_.across = std::clamp(sweep_.across, -far, far);
  }

  bool down() const { return sweep_.down; }
  float weight() const { return static_cast<float>(sweep_.weight); }

  // Rows come in the order of the sweep. The chunks of a row follow, from the last to the first.
  void begin_row(std::ptrdiff_t row) {
    if (steep()) {
      begin_steep(row);
    } else {
      begin_flat(row);
    }
    ++passed_;
  }

  // The paths to the pixels of a chunk.
  void next(const Chunk& chunk, float* path) const {
    const std::ptrdiff_t edge = chunk.begin == 0 ? sizes_.inner : 0;
    if (steep()) {
      SteepRow row = steep_;
      row.mu += chunk.begin;
      row.sum += chunk.begin;
      row.path = path;
      row.count = chunk.count;
      row.edge = edge;
      kernel_.steep_row(row);
      return;
    }
    FlatRow row = flat_;
    row.total += chunk.begin;
    if (row.next_total != nullptr) row.next_total += chunk.begin;
    row.enter += chunk.begin;
    row.leave += chunk.begin;
    row.path = path;
    row.count = chunk.count;
    row.edge = edge;
    row.end = chunk.count + (chunk.begin + chunk.count == sizes_.count ? sizes_.inner : 0);
    kernel_.flat_row(row);
  }

 private:
  bool steep() const { return sweep_.values == RowValues::kPixels; }
  std::ptrdiff_t first_row() const { return sweep_.down ? 0 : sizes_.height - 1; }
  const float* values(std::ptrdiff_t row) const { return rows_ + row * row_floats_; }

  void begin_steep(std::ptrdiff_t row) {
    const Place at = place(sweep_.across * static_cast<double>(passed_));
    const auto scale = static_cast<float>(sweep_.scale);
    const std::ptrdiff_t first = sweep_.across >= 0 ? sizes_.height + 4 : 4;
    steep_.mu = values(row);
    steep_.sum = buffers_ + (first - at.whole) * sizes_.inner;
    steep_.inner = sizes_.inner;
    steep_.before = scale * at.fraction;
    steep_.after = scale * (1 - at.fraction);
    steep_.own = scale * 0.5f;
    steep_.fraction = at.fraction;
  }

  void begin_flat(std::ptrdiff_t row) {
    const double h = sweep_.across;
    const Place at = place(h * static_cast<double>(passed_));
    const Place next = place(h * static_cast<double>(passed_ + 1));
    // The ray through a pixel's centre enters the row half a row's way before.
    const Place centre = place(0.5 - 0.5 * h - static_cast<double>(at.fraction));
    const std::ptrdiff_t far = sizes_.width + 3;
    const auto scale = static_cast<float>(sweep_.scale);
    float* buffer[2] = {buffers_ + sizes_.margin(), buffers_ + sizes_.wide_row() + sizes_.margin()};
    const bool last = passed_ + 1 == sizes_.height;
    flat_.total = values(row);
    flat_.next_total = last ? nullptr : values(sweep_.down ? row + 1 : row - 1);
    flat_.enter = buffer[passed_ % 2];
    flat_.leave = buffer[1 - passed_ % 2];
    flat_.inner = sizes_.inner;
    flat_.from = std::clamp(centre.whole, -far, far) * sizes_.inner;
    flat_.step = std::clamp(next.whole - at.whole, -far, far) * sizes_.inner;
    flat_.next = next.fraction;
    flat_.near = scale * (1 - centre.fraction);
    flat_.far = scale * centre.fraction;
    flat_.half = scale * 0.5f;
  }

  Sizes sizes_;
  Sweep sweep_;
  const float* rows_;
  std::ptrdiff_t row_floats_;
  const TransmitFunctions& kernel_;
  float* buffers_;
  std::ptrdiff_t passed_ = 0;  // rows
  SteepRow steep_{};           // of the present row
  FlatRow flat_{};
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
      sweeps_.emplace_back(sizes_, s, frames.rows(task.frame, s, task.plane),
                           frames.row_floats(task.frame), kernel, scratch);
      scratch += sizes_.sweep();
    }
    path_ = scratch;
    beam_path_ = path_ + Sizes::chunk();
    sum_ = beam_path_ + Sizes::chunk();
    for (const RowSweep& s : sweeps_) stores_ |= s.down() != sweeps_.front().down();
  }

  std::ptrdiff_t height() const { return sizes_.height; }
  std::ptrdiff_t chunks() const { return (sizes_.count + kSweepChunk - 1) / kSweepChunk; }

  // First the detectors that sweep against the beam: their part of T is kept in the place of T.
  void begin_stored(std::ptrdiff_t k) {
    if (stores_) begin(k, !sweeps_.front().down());
  }
  void store(std::ptrdiff_t index) {
    if (!stores_ || index >= chunks()) return;
    const Chunk c = chunk(index);
    std::fill_n(sum_, c.count, 0.0f);
    add_detectors(c, !sweeps_.front().down());
    kernel_.to_units(sum_, c.count, out_row_ + c.begin);
  }

  // Then the others and the beam.
  void begin_row(std::ptrdiff_t k) { begin(k, sweeps_.front().down()); }
  void finish(std::ptrdiff_t index) {
    if (index >= chunks()) return;
    const Chunk c = chunk(index);
    std::uint16_t* out = out_row_ + c.begin;
    sweeps_.front().next(c, beam_path_);
    if (sweeps_.size() == 2 && !stores_) {
      sweeps_.back().next(c, path_);
      return kernel_.power_of_sum(beam_path_, path_, c.count, out);
    }
    if (stores_) {
      kernel_.from_units(out, c.count, sum_);
    } else {
      std::fill_n(sum_, c.count, 0.0f);
    }
    add_detectors(c, sweeps_.front().down());
    kernel_.times_power(beam_path_, sum_, c.count, out);
  }

 private:
  Chunk chunk(std::ptrdiff_t index) const {
    const std::ptrdiff_t begin = index * kSweepChunk;
    return {begin, std::min(kSweepChunk, sizes_.count - begin)};
  }

  void begin(std::ptrdiff_t k, bool down) {
    const std::ptrdiff_t row = down ? k : sizes_.height - 1 - k;
    out_row_ = out_ + static_cast<std::size_t>(row) * frame_.row_elements;
    for (RowSweep& s : sweeps_) {
      if (s.down() == down) s.begin_row(row);
    }
  }

  // Adds up the detectors that sweep this way.
  void add_detectors(const Chunk& c, bool down) {
    for (std::size_t k = 1; k < sweeps_.size(); ++k) {
      if (sweeps_[k].down() != down) continue;
      sweeps_[k].next(c, path_);
      kernel_.add_power(path_, sweeps_[k].weight(), c.count, sum_);
    }
  }

  const TransmittanceFrame& frame_;
  Sizes sizes_;
  const TransmitFunctions& kernel_;
  std::uint16_t* out_;
  std::uint16_t* out_row_ = nullptr;
  std::vector<RowSweep> sweeps_;
  float* path_;
  float* beam_path_;
  float* sum_;
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
  std::ptrdiff_t chunks = 0;
  for (const SweepTask& task : tasks) {
    all.emplace_back(layout, frames, kernel, task, scratch);
    scratch += Sizes(layout.frames()[task.frame], layout.inner()).all(task.sweeps.size());
    height = std::max(height, all.back().height());
    chunks = std::max(chunks, all.back().chunks());
  }
  // Angles take turns, chunk by chunk: they find the attenuation in the first-level cache.
  const auto each_row = [&](auto begin, auto step) {
    for (std::ptrdiff_t k = 0; k < height; ++k) {
      for (Joined& joined : all) {
        if (k < joined.height()) (joined.*begin)(k);
      }
      for (std::ptrdiff_t c = chunks; c-- > 0;) {
        for (Joined& joined : all) {
          if (k < joined.height()) (joined.*step)(c);
        }
      }
    }
  };
  each_row(&Joined::begin_stored, &Joined::store);
  each_row(&Joined::begin_row, &Joined::finish);
  kernel.flush();
}

}  // namespace firm
