#include "solve/priors/tv_sweep.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "tomo/wide/wide_copy.h"

namespace firm {
namespace {

constexpr std::size_t kLine = 16;  // floats
constexpr std::size_t kMostTogether = 16;
constexpr std::size_t kLeastBand = 32;  // rows, if the image has that many for each thread

std::ptrdiff_t as_signed(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

// Half of the second-level cache of a core; half of 512 KiB if the system does not say.
std::size_t cache_floats() {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return (bytes > 0 ? static_cast<std::size_t>(bytes) : std::size_t{512} << 10) / 2 / sizeof(float);
}

// How many steps go together: their rows fit into the cache, and each thread has a band.
std::size_t steps_together(const TvShape& shape, int threads) {
  const std::size_t rows_of_step = 2 * static_cast<std::size_t>(shape.parts()) + 2;
  const std::size_t fitting = cache_floats() / (rows_of_step * shape.values);
  const std::size_t for_threads = shape.rows / (2 * static_cast<std::size_t>(threads));
  return std::clamp<std::size_t>(std::min(fitting, for_threads), 1, kMostTogether);
}

// Bands are at least twice as high as steps go together, and threads get equally many.
std::size_t band_count(const TvShape& shape, std::size_t together, int threads) {
  const auto workers = static_cast<std::size_t>(threads);
  const std::size_t share = shape.rows / workers;
  const std::size_t height = std::max(2 * together, std::min(kLeastBand, share));
  const std::size_t count = std::max<std::size_t>(1, shape.rows / height);
  return count > workers ? count / workers * workers : count;
}

// Momentum of FISTA in each of `count` steps, from t = 1: (t_before - 1) / t.
std::vector<float> momenta(int count) {
  std::vector<float> result;
  double before = 1;
  double t = 1;
  for (int k = 0; k < count; ++k) {
    result.push_back(k == 0 ? 0.0f : static_cast<float>((before - 1) / t));
    before = t;
    t = (1 + std::sqrt(1 + 4 * t * t)) / 2;
  }
  return result;
}

}  // namespace

TvField::TvField(const TvShape& shape, std::size_t number)
    : stride_(spread(shape.values + shape.columns)),
      margin_(stride_ + (1 + 5 * number) * kLine),
      values_(margin_ + shape.rows * stride_) {}

TvSweep::TvSweep(const TvShape& shape, const TvKernel& kernel, int threads)
    : shape_(shape),
      functions_(shape.slices ? &kernel.volume : &kernel.plane),
      threads_(threads),
      together_(steps_together(shape, threads)),
      bands_(band_count(shape, together_, threads)),
      x_stride_(spread(shape.values + shape.columns)),
      x_(2 * bands_ * together_ * x_stride_) {
  for (std::size_t number = 0; number < 2 * static_cast<std::size_t>(shape.parts()); ++number) {
    duals_[number % 2].emplace_back(shape, number);
  }
}

float* TvSweep::x(std::size_t band, std::size_t step) {
  return x_.data() + (2 * (band * together_ + step)) * x_stride_;
}

float* TvSweep::first_x(std::size_t band, std::size_t step) { return x(band, step) + x_stride_; }

// Steps are counted from 0 here and below: step 0 leaves out one row at a boundary.
TvSweep::Range TvSweep::rows_of(std::size_t step, std::size_t band) const {
  const std::size_t begin = band_begin(band);
  const std::size_t end = band_begin(band + 1);
  return {begin == 0 ? 0 : begin + step + 1, end == shape_.rows ? end : end - step - 1};
}

TvStepRow TvSweep::make_row(const Group& group, std::size_t step, std::ptrdiff_t i, float* x) {
  TvStepRow row = *group.pattern;
  const std::size_t now = (current_ + step) % 2;
  row.momentum = group.momentum[step];
  row.x = x;
  row.next = x;  // in the last row of the image: its difference to the next is 0
  if (i + 1 < as_signed(shape_.rows)) {
    row.v = group.v + (i + 1) * as_signed(shape_.values);
  }
  for (std::size_t part = 0; part < duals_[0].size(); ++part) {
    row.p[part] = duals_[now][part].row(i);
    row.out[part] = duals_[1 - now][part].row(i);
    // The first step has no dual before.
    row.q[part] = row.momentum > 0 ? row.out[part] : row.p[part];
  }
  return row;
}

void TvSweep::run_band(const Group& group, std::size_t band) {
  const std::size_t steps = group.size();
  const std::size_t end = band_begin(band + 1) + steps;
  for (std::size_t m = band_begin(band); m < end; ++m) {
    for (std::size_t k = 0; k < steps && k <= m; ++k) {
      const Range rows = rows_of(k, band);
      const std::size_t i = m - k;
      if (i < rows.begin || i > rows.end) continue;
      if (i == rows.begin) {
        functions_->start(make_row(group, k, as_signed(i) - 1, x(band, k)));
        if (band > 0) std::copy_n(x(band, k), shape_.values, first_x(band, k));
      }
      if (i == rows.end) continue;
      const TvStepRow row = make_row(group, k, as_signed(i), x(band, k));
      (i + 1 < shape_.rows ? functions_->advance : functions_->close)(row);
    }
  }
}

// Around the boundary between a band and the next.
void TvSweep::run_boundary(const Group& group, std::size_t band) {
  const std::size_t boundary = band_begin(band + 1);
  for (std::size_t k = 0; k < group.size(); ++k) {
    for (std::size_t i = boundary - k - 1; i < boundary + k; ++i) {
      functions_->advance(make_row(group, k, as_signed(i), x(band, k)));
    }
    TvStepRow last = make_row(group, k, as_signed(boundary + k), x(band, k));
    last.next = first_x(band + 1, k);
    functions_->close(last);
  }
}

void TvSweep::run_group(const Group& group) {
  parallel_for(
      bands_, threads_, [&](std::size_t band) { run_band(group, band); }, Handout::kRanges);
  parallel_for(
      bands_ - 1, threads_, [&](std::size_t band) { run_boundary(group, band); }, Handout::kRanges);
  current_ = (current_ + group.size()) % 2;
}

void TvSweep::run(const TvStepRow& pattern, const float* v, int count) {
  TvStepRow row = pattern;
  row.values = shape_.values;
  row.columns = shape_.columns;
  row.stride = duals_[0].front().stride();
  const std::vector<float> momentum = momenta(count);
  const std::size_t groups = (momentum.size() + together_ - 1) / together_;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t begin = g * momentum.size() / groups;
    const std::size_t end = (g + 1) * momentum.size() / groups;
    run_group({&row, v, std::span(momentum).subspan(begin, end - begin)});
  }
}

}  // namespace firm
