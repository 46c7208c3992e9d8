#include "io/inspect/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firm/error.h"
#include "io/files/number_type.h"

namespace firm {
namespace {

constexpr double kSmallestJump = 1.1;
constexpr double kMedians = 9;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void FieldSurvey::Mean::add(std::span<const float> values) {
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    sum_ += static_cast<double>(value);
    ++count_;
  }
}

std::vector<double> FieldSurvey::values_of(const std::vector<Mean>& means) {
  std::vector<double> values;
  for (const Mean& mean : means) values.push_back(mean.value());
  return values;
}

FieldSurvey::FieldSurvey(const Frames::Facts& facts)
    : beamlets_(facts.beamlets),
      first_(facts.slices * facts.beamlets),
      constant_(first_.size(), 1),
      written_(facts.frames, 0),
      frame_means_(facts.frames),
      outer_means_(facts.frames) {
  if (const auto largest = largest_value(facts.type)) largest_ = static_cast<float>(*largest);
}

void FieldSurvey::add(const FrameBox& box, std::span<const float> values) {
  const std::size_t size = box.slices * beamlets_;
  FIRM_CHECK(values.size() == box.frames * size);
  count(values);
  for (std::size_t k = 0; k < box.frames; ++k) {
    const std::span<const float> rows = values.subspan(k * size, size);
    compare(box.first_frame + k, box.first_slice, rows);
    average(box.first_frame + k, rows);
    if (std::ranges::any_of(rows, [](float value) { return value != 0; })) {
      written_[box.first_frame + k] = 1;
    }
  }
}

// One sum per piece keeps the mean exact for any number of values. Local variables stay in
// registers; members would be stored for each value of a large file.
void FieldSurvey::count(std::span<const float> values) {
  const float largest = largest_.value_or(std::numeric_limits<float>::infinity());
  float low = min_;
  float high = max_;
  double sum = 0;
  std::size_t nan = 0;
  std::size_t infinite = 0;
  std::size_t zero = 0;
  std::size_t negative = 0;
  std::size_t fractional = 0;
  std::size_t saturated = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? nan : infinite);
      continue;
    }
    zero += value == 0 ? 1 : 0;
    negative += value < 0 ? 1 : 0;
    fractional += value != std::floor(value) ? 1 : 0;
    saturated += value >= largest ? 1 : 0;
    low = std::min(low, value);
    high = std::max(high, value);
    sum += static_cast<double>(value);
  }
  min_ = low;
  max_ = high;
  sum_ += sum;
  statistics_.count += values.size();
  statistics_.nan += nan;
  statistics_.infinite += infinite;
  statistics_.zero += zero;
  statistics_.negative += negative;
  statistics_.fractional += fractional;
  statistics_.saturated += saturated;
}

void FieldSurvey::compare(std::size_t frame, std::size_t first, std::span<const float> rows) {
  const std::size_t at = first * beamlets_;
  if (frame == 0) {
    std::copy(rows.begin(), rows.end(), first_.begin() + static_cast<std::ptrdiff_t>(at));
    return;
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const float before = first_[at + k];
    const bool same = rows[k] == before || (std::isnan(rows[k]) && std::isnan(before));
    if (!same) constant_[at + k] = 0;
  }
}

void FieldSurvey::average(std::size_t frame, std::span<const float> rows) {
  frame_means_[frame].add(rows);
  const std::size_t count = outer_beamlets(beamlets_);
  for (std::size_t at = 0; at < rows.size(); at += beamlets_) {
    const std::span<const float> row = rows.subspan(at, beamlets_);
    outer_means_[frame].add(row.first(count));
    outer_means_[frame].add(row.last(count));
  }
}

ValueStatistics FieldSurvey::values() const {
  ValueStatistics r = statistics_;
  const std::size_t finite = r.count - r.nan - r.infinite;
  if (finite == 0) {
    r.min = r.max = r.mean = std::numeric_limits<double>::quiet_NaN();
  } else {
    r.min = static_cast<double>(min_);
    r.max = static_cast<double>(max_);
    r.mean = sum_ / static_cast<double>(finite);
  }
  return r;
}

DeadReport FieldSurvey::dead() const {
  DeadReport report;
  if (frame_means_.size() < 2) return report;
  for (std::size_t k = 0; k < constant_.size(); ++k) {
    if (constant_[k] == 0) continue;
    ++report.count;
    if (first_[k] == 0) ++report.zero;
    if (report.first.size() < kListed) {
      report.first.push_back({k / beamlets_, k % beamlets_, first_[k]});
    }
  }
  return report;
}

std::vector<std::size_t> FieldSurvey::missing() const {
  std::vector<std::size_t> frames;
  for (std::size_t f = 0; f < written_.size(); ++f) {
    if (written_[f] == 0) frames.push_back(f);
  }
  if (frames.size() == written_.size()) frames.clear();
  return frames;
}

std::size_t outer_beamlets(std::size_t beamlets) { return std::max<std::size_t>(1, beamlets / 20); }

std::vector<Jump> find_jumps(const std::vector<double>& levels) {
  constexpr double kLost = std::numeric_limits<double>::infinity();
  std::vector<Jump> changes;
  std::vector<double> sizes;  // of all changes
  std::vector<double> usual;  // of changes other than to 0
  double before = 0;
  bool lost = false;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (!(levels[k] >= 0)) continue;
    const bool first = before == 0;
    const bool again = lost;
    lost = levels[k] == 0;
    if (!lost && !first) {
      changes.push_back({k, levels[k] / before});
      sizes.push_back(std::abs(std::log(changes.back().ratio)));
      usual.push_back(sizes.back());
    } else if (lost && !first && !again) {
      changes.push_back({k, 0});
      sizes.push_back(kLost);
    }
    if (!lost) before = levels[k];
  }
  const double limit = std::max(std::log(kSmallestJump), kMedians * median(usual));
  std::vector<Jump> jumps;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    if (sizes[k] > limit) jumps.push_back(changes[k]);
  }
  return jumps;
}

std::string jump_rule() {
  return fmt::format(
      "a change against the frame before by more than a factor of {}, and by more than {} times "
      "the "
      "median change (on a logarithmic scale)",
      kSmallestJump, kMedians);
}

}  // namespace firm
