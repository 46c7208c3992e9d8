#include "io/inspect.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "io/data_exchange.h"

namespace firm {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{32} << 20;

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

// A box of about kBatchBytes that holds whole chunks, so that none is read twice.
h5::Shape batch_shape(const h5::Dataset& dataset) {
  const h5::Shape& shape = dataset.shape();
  h5::Shape batch = dataset.chunk().empty() ? h5::Shape{1, 1, 1} : dataset.chunk();
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const std::size_t bytes = h5::element_count(batch) * sizeof(float);
    const std::size_t times = std::max<std::size_t>(1, kBatchBytes / bytes);
    batch[axis] = std::min(shape[axis], batch[axis] * times);
  }
  return batch;
}

std::size_t piece(std::size_t total, std::size_t start, std::size_t length) {
  return std::min(length, total - start);
}

ValueStatistics statistics(const h5::Dataset& dataset, const Progress& progress) {
  const h5::Shape& shape = dataset.shape();
  const h5::Shape batch = batch_shape(dataset);
  const std::string stage = "reading " + dataset.path();
  Collector collector;
  std::vector<float> values;
  std::size_t done = 0;
  for (std::size_t i = 0; i < shape[0]; i += batch[0]) {
    for (std::size_t j = 0; j < shape[1]; j += batch[1]) {
      for (std::size_t k = 0; k < shape[2]; k += batch[2]) {
        const h5::Shape count = {piece(shape[0], i, batch[0]), piece(shape[1], j, batch[1]),
                                 piece(shape[2], k, batch[2])};
        values.resize(h5::element_count(count));
        dataset.read({{i, j, k}, count}, std::span<float>(values));
        collector.add(values);
        done += values.size();
        report(progress, stage,
               static_cast<double>(done) / static_cast<double>(h5::element_count(shape)));
      }
    }
  }
  return collector.result();
}

FieldReport inspect_field(const FrameStack& stack, const Progress& progress) {
  const h5::Dataset& d = stack.dataset;
  return {d.path(), d.shape(), d.type_name(), stack.axes, stack.units, statistics(d, progress)};
}

MemoryReport estimate_memory(const FrameStack& data) {
  MemoryReport m;
  m.side = data.beamlets();
  const std::size_t image = m.side * m.side * sizeof(float);
  const std::size_t sinogram = data.frames() * data.beamlets() * sizeof(float);
  m.bytes_per_slice = kImagesInMemory * image + kSinogramsInMemory * sinogram;
  m.bytes = m.bytes_per_slice * data.slices();
  return m;
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

Inspection inspect_file(const std::string& path, const Progress& progress) {
  const DataExchangeFile file(path);
  Inspection r;
  r.file = path;
  r.file_bytes = std::filesystem::file_size(path);
  r.format = "Data Exchange (HDF5)";
  r.title = file.title();
  r.slices = file.data().slices();
  r.beamlets = file.data().beamlets();
  r.fields.push_back(inspect_field(file.data(), progress));
  if (file.white()) r.fields.push_back(inspect_field(*file.white(), progress));
  if (file.dark()) r.fields.push_back(inspect_field(*file.dark(), progress));
  r.angles = inspect_angles(file.theta());
  r.angles.source = file.theta_source();
  r.spacing = file.spacing();
  r.rotation_axis = file.rotation_axis();
  r.memory = estimate_memory(file.data());
  return r;
}

}  // namespace firm
