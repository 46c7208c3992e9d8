#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "firm/error.h"
#include "io/data_exchange.h"
#include "io/data_exchange_paths.h"
#include "io/foreign.h"
#include "io/length.h"

namespace firm {
namespace {

namespace dx = data_exchange;

constexpr std::size_t kBatchBytes = std::size_t{32} << 20;

// The position of the frames among the axes; x has to be last, so that a row of beamlets is
// contiguous in all the files there are.
std::size_t frame_axis_of(const std::string& file, const std::string& path,
                          const std::string& axes) {
  if (axes.starts_with("theta") && axes.ends_with(":y:x")) return 0;
  if (axes.starts_with("y:theta") && axes.ends_with(":x")) return 1;
  throw data_error({file, path + "@axes", "theta:y:x or y:theta:x", axes});
}

FrameStack open_stack(const h5::Reader& reader, const std::string& path) {
  FrameStack stack{reader.dataset(path), 0,
                   reader.text_attribute(path, "axes").value_or(dx::kDefaultAxes),
                   reader.text_attribute(path, "units").value_or("counts")};
  const h5::Shape& shape = stack.dataset.shape();
  if (shape.size() != 3) {
    throw data_error({reader.file(), path, "three dimensions (theta, y, x)",
                      "the shape " + h5::to_string(shape)});
  }
  if (h5::element_count(shape) == 0) {
    throw data_error(
        {reader.file(), path, "at least one value", "the shape " + h5::to_string(shape)});
  }
  if (!stack.dataset.numeric()) {
    throw data_error({reader.file(), path, "numbers", stack.dataset.type_name()});
  }
  stack.frame_axis = frame_axis_of(reader.file(), path, stack.axes);
  return stack;
}

FrameStack open_data(const h5::Reader& reader) {
  if (!reader.has(dx::kData)) {
    throw data_error({reader.file(), dx::kData, "a Data Exchange dataset (theta, y, x)",
                      describe_foreign(reader)});
  }
  return open_stack(reader, dx::kData);
}

std::optional<FrameStack> open_field(const h5::Reader& reader, const std::string& path,
                                     const FrameStack& data) {
  if (!reader.has(path)) return {};
  FrameStack field = open_stack(reader, path);
  if (field.slices() != data.slices() || field.beamlets() != data.beamlets()) {
    throw data_error({reader.file(), path,
                      fmt::format("frames of {} x {} (y, x) as in {}", data.slices(),
                                  data.beamlets(), dx::kData),
                      fmt::format("{} x {}", field.slices(), field.beamlets())});
  }
  return field;
}

double degrees_per_unit(const h5::Reader& reader, const std::string& path) {
  const std::string units = reader.text_attribute(path, "units").value_or("degrees");
  for (const char* known : {"deg", "degree", "degrees", "\u00b0"}) {
    if (units == known) return 1;
  }
  for (const char* known : {"rad", "radian", "radians"}) {
    if (units == known) return 180 / std::numbers::pi;
  }
  throw data_error({reader.file(), path + "@units", "degrees or radians", units});
}

std::vector<double> theta_from_dataset(const h5::Reader& reader) {
  const h5::Dataset dataset = reader.dataset(dx::kTheta);
  const double scale = degrees_per_unit(reader, dx::kTheta);
  std::vector<double> theta = dataset.read_all<double>();
  for (double& angle : theta) angle *= scale;
  return theta;
}

std::vector<double> theta_from_rotation(const h5::Reader& reader) {
  const double start = reader.number(dx::kRotationStart);
  const double step = reader.number(dx::kRotationStep);
  const double count = reader.number(dx::kAngleCount);
  if (!(count >= 1) || count > 1e9 || count != std::floor(count)) {
    throw data_error(
        {reader.file(), dx::kAngleCount, "a number of angles", fmt::format("{}", count)});
  }
  std::vector<double> theta;
  for (double k = 0; k < count; ++k) theta.push_back(start + k * step);
  return theta;
}

Block read_block(const FrameStack& stack) {
  const std::size_t beamlets = stack.beamlets();
  const std::size_t slices = stack.slices();
  Block block(stack.frames() * beamlets, slices);
  const std::size_t batch = std::max<std::size_t>(1, kBatchBytes / (beamlets * slices * 4));
  for (std::size_t first = 0; first < stack.frames(); first += batch) {
    const std::size_t count = std::min(batch, stack.frames() - first);
    const std::vector<float> frames = stack.read_frames(first, count);
    const float* value = frames.data();
    for (std::size_t f = first; f < first + count; ++f) {
      for (std::size_t y = 0; y < slices; ++y) {
        for (std::size_t x = 0; x < beamlets; ++x) block(f * beamlets + x, y) = *value++;
      }
    }
  }
  return block;
}

}  // namespace

std::vector<float> FrameStack::read_frames(std::size_t first, std::size_t count) const {
  h5::Slab slab{{0, 0, 0}, dataset.shape()};
  slab.start[frame_axis] = first;
  slab.count[frame_axis] = count;
  std::vector<float> stored(h5::element_count(slab.count));
  dataset.read(slab, std::span<float>(stored));
  if (frame_axis == 0) return stored;

  // (y, frame, x) -> (frame, y, x)
  std::vector<float> ordered(stored.size());
  const std::size_t width = beamlets();
  for (std::size_t y = 0; y < slices(); ++y) {
    for (std::size_t f = 0; f < count; ++f) {
      std::copy_n(stored.data() + (y * count + f) * width, width,
                  ordered.data() + (f * slices() + y) * width);
    }
  }
  return ordered;
}

DataExchangeFile::DataExchangeFile(const std::string& path)
    : reader_(path),
      data_(open_data(reader_)),
      white_(open_field(reader_, dx::kWhite, data_)),
      dark_(open_field(reader_, dx::kDark, data_)) {
  read_theta();
  read_metadata();
}

void DataExchangeFile::read_theta() {
  if (reader_.has(dx::kTheta)) {
    theta_ = theta_from_dataset(reader_);
    theta_source_ = dx::kTheta;
  } else if (reader_.has(dx::kRotationStart)) {
    theta_ = theta_from_rotation(reader_);
    theta_source_ = dx::kRotation;
  } else {
    throw data_error({reader_.file(), dx::kTheta,
                      fmt::format("{} angles in degrees, or a start, a step and a number in {}",
                                  data_.frames(), dx::kRotation),
                      "neither"});
  }
  if (theta_.size() != data_.frames()) {
    throw data_error({reader_.file(), theta_source_,
                      fmt::format("{} angles, one per frame of {}", data_.frames(), dx::kData),
                      fmt::format("{}", theta_.size())});
  }
}

void DataExchangeFile::read_metadata() {
  if (reader_.has(dx::kTitle)) title_ = reader_.text(dx::kTitle);
  if (reader_.has(dx::kRotationAxis)) rotation_axis_ = reader_.number(dx::kRotationAxis);
  // Files in the wild leave the unit out or mean different ones: then the spacing is not known.
  if (!reader_.has(dx::kSpacing)) return;
  const auto unit = length_unit(reader_.text_attribute(dx::kSpacing, "units").value_or(""));
  if (unit) spacing_ = reader_.number(dx::kSpacing) * *unit;
}

Acquisition read_acquisition(const std::string& path) {
  const DataExchangeFile file(path);
  Acquisition a;
  a.title = file.title();
  a.units = file.data().units;
  a.theta = file.theta();
  a.beamlets = static_cast<int>(file.data().beamlets());
  a.spacing = file.spacing().value_or(0);
  a.rotation_axis = file.rotation_axis().value_or(a.beamlets / 2.0);
  a.data = read_block(file.data());
  if (file.white()) a.white = read_block(*file.white());
  if (file.dark()) a.dark = read_block(*file.dark());
  return a;
}

}  // namespace firm
