#include "io/inspect.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace firm {
namespace {

// Collects statistics batch by batch.
class Collector {
 public:
  // One sum per batch keeps the mean exact enough for any number of values; everything is in locals
  // because files are large and members would go through memory for every value.
  void add(std::span<const float> values) {
    float low = min_;
    float high = max_;
    double sum = 0;
    std::size_t nan = 0;
    std::size_t infinite = 0;
    std::size_t zero = 0;
    std::size_t negative = 0;
    for (const float value : values) {
      if (!std::isfinite(value)) {
        ++(std::isnan(value) ? nan : infinite);
        continue;
      }
      zero += value == 0 ? 1 : 0;
      negative += value < 0 ? 1 : 0;
      low = std::min(low, value);
      high = std::max(high, value);
      sum += static_cast<double>(value);
    }
    min_ = low;
    max_ = high;
    sum_ += sum;
    result_.count += values.size();
    result_.nan += nan;
    result_.infinite += infinite;
    result_.zero += zero;
    result_.negative += negative;
  }

  ValueStatistics result() const {
    ValueStatistics r = result_;
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

 private:
  ValueStatistics result_;
  double sum_ = 0;
  float min_ = std::numeric_limits<float>::infinity();
  float max_ = -std::numeric_limits<float>::infinity();
};

ValueStatistics statistics(const Frames& frames, const Progress& progress) {
  const std::string stage = "reading " + frames.facts().path;
  const std::size_t batch = batch_frames(frames, frames.slices());
  Collector collector;
  for (std::size_t first = 0; first < frames.frames(); first += batch) {
    const std::size_t count = std::min(batch, frames.frames() - first);
    collector.add(frames.read({first, count, 0, frames.slices()}));
    report(progress, stage,
           static_cast<double>(first + count) / static_cast<double>(frames.frames()));
  }
  return collector.result();
}

FieldReport inspect_field(const Frames& frames, const Progress& progress) {
  const Frames::Facts& f = frames.facts();
  return {f.path, f.shape, f.type, f.axes, f.units, statistics(frames, progress)};
}

}  // namespace

AngleReport inspect_angles(const std::vector<double>& degrees) {
  AngleReport r;
  r.count = degrees.size();
  std::vector<double> sorted;
  std::copy_if(degrees.begin(), degrees.end(), std::back_inserter(sorted),
               [](double angle) { return std::isfinite(angle); });
  r.not_finite = r.count - sorted.size();
  r.order = std::is_sorted(sorted.begin(), sorted.end())     ? "ascending"
            : std::is_sorted(sorted.rbegin(), sorted.rend()) ? "descending"
                                                             : "unsorted";
  if (sorted.empty()) return r;
  std::sort(sorted.begin(), sorted.end());
  r.min = sorted.front();
  r.max = sorted.back();
  if (sorted.size() < 2) return r;
  r.min_step = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    const double step = sorted[k] - sorted[k - 1];
    r.min_step = std::min(r.min_step, step);
    r.max_step = std::max(r.max_step, step);
  }
  r.uniform = r.min_step > 0 && r.max_step - r.min_step <= 1e-3 * r.max_step;
  return r;
}

Inspection inspect_file(const std::string& path, const std::string& element,
                        const Progress& progress) {
  const Scan scan = open_scan(path, {element, true});
  Inspection r;
  r.file = path;
  r.file_bytes = std::filesystem::file_size(path);
  r.format = scan.format;
  r.title = scan.title;
  r.elements = scan.elements;
  r.element = scan.element;
  r.slices = scan.data->slices();
  r.beamlets = scan.data->beamlets();
  for (const auto* frames : {&scan.data, &scan.white, &scan.dark, &scan.monitor}) {
    if (*frames) r.fields.push_back(inspect_field(**frames, progress));
  }
  r.angles = inspect_angles(scan.theta);
  r.angles.source = scan.theta_source;
  r.spacing = scan.spacing;
  r.rotation_axis = scan.rotation_axis;
  return r;
}

}  // namespace firm
