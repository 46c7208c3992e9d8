#include "io/formats/monitor_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "firm/error.h"
#include "io/files/npy_file.h"
#include "io/files/number_file.h"
#include "io/formats/formats.h"

namespace firm {
namespace {

// A monitor with one value per frame, or per row of a frame.
class RowValues : public Frames {
 public:
  RowValues(Facts facts, std::vector<double> values, bool by_row)
      : Frames(std::move(facts)), values_(std::move(values)), by_row_(by_row) {}

  std::vector<float> read(const FrameBox& box) const override {
    std::vector<float> all;
    all.reserve(box.frames * box.slices * beamlets());
    for (std::size_t f = box.first_frame; f < box.first_frame + box.frames; ++f) {
      for (std::size_t y = box.first_slice; y < box.first_slice + box.slices; ++y) {
        const double value = values_[by_row_ ? f * slices() + y : f];
        all.insert(all.end(), beamlets(), static_cast<float>(value));
      }
    }
    return all;
  }

 private:
  std::vector<double> values_;  // frame by frame
  bool by_row_;
};

h5::Shape shape_of(const Frames& data) { return {data.frames(), data.slices(), data.beamlets()}; }

// Whether `found` is the beginning of `whole`, or all of it.
bool begins(const h5::Shape& found, const h5::Shape& whole) {
  return !found.empty() && found.size() <= whole.size() &&
         std::equal(found.begin(), found.end(), whole.begin());
}

Error wrong_shape(const std::string& file, const std::string& path, const Frames& data,
                  const h5::Shape& found) {
  return data_error({file, path,
                     fmt::format("the shape {} of {}, or its first axes alone",
                                 h5::to_string(shape_of(data)), data.facts().path),
                     h5::to_string(found)});
}

std::unique_ptr<Frames> monitor_numbers(const std::string& path, const Frames& data) {
  std::vector<double> values = read_numbers(path, "value of the monitor");
  if (values.size() != data.frames()) {
    throw data_error(
        {path, "", fmt::format("{} values, one per frame of {}", data.frames(), data.facts().path),
         fmt::format("{}", values.size())});
  }
  Frames::Facts facts = data.facts();
  facts.path = path;
  facts.shape = {values.size()};
  facts.type = "float64";
  facts.axes = "theta";
  facts.units = "";
  facts.chunk = facts.slice_chunk = 1;
  return std::make_unique<RowValues>(std::move(facts), std::move(values), false);
}

// (frame, y)
std::unique_ptr<Frames> monitor_rows(const NpyFile& file, const Frames& data) {
  std::vector<double> values = file.read_all();
  if (file.fortran_order()) {
    std::vector<double> turned;
    turned.reserve(values.size());
    for (std::size_t f = 0; f < data.frames(); ++f) {
      for (std::size_t y = 0; y < data.slices(); ++y)
        turned.push_back(values[y * data.frames() + f]);
    }
    values = std::move(turned);
  }
  Frames::Facts facts = data.facts();
  facts.path = file.path();
  facts.shape = file.shape();
  facts.type = file.type().name();
  facts.axes = "theta:y";
  facts.units = "";
  facts.chunk = facts.slice_chunk = 1;
  return std::make_unique<RowValues>(std::move(facts), std::move(values), true);
}

}  // namespace

std::unique_ptr<Frames> monitor_dataset(const h5::Reader& reader, const std::string& path,
                                        const Scan& scan) {
  const Frames& data = *scan.data;
  const h5::Shape found = reader.dataset(path).shape();
  h5::Shape same = found;
  std::vector<std::size_t> chosen;
  if (!found.empty() && found[0] == scan.frames_in_file) {
    same[0] = data.frames();
    chosen = scan.projections;
  }
  const bool one_slice = same == h5::Shape{data.frames(), data.beamlets()} && data.slices() == 1;
  if (!one_slice && !begins(same, shape_of(data))) {
    throw wrong_shape(reader.file(), path, data, found);
  }
  FrameAxes axes{0, std::nullopt, std::nullopt, {}};
  if (one_slice) {
    axes.beamlet = 1;
  } else {
    if (found.size() > 1) axes.slice = 1;
    if (found.size() > 2) axes.beamlet = 2;
  }
  h5::Dataset dataset = numbers(reader, path, found.size(), "numbers");
  Frames::Facts facts = facts_of(dataset, axes, data.frames());
  facts.slices = data.slices();
  facts.beamlets = data.beamlets();
  facts.axes = one_slice      ? "theta:x"
               : axes.beamlet ? "theta:y:x"
               : axes.slice   ? "theta:y"
                              : "theta";
  facts.units = units_of(reader, path, "counts");
  return std::make_unique<HdfFrames>(std::move(dataset), axes, std::move(chosen), facts);
}

std::unique_ptr<Frames> monitor_file(const std::string& path, const Scan& scan) {
  const Frames& data = *scan.data;
  if (kind_of_file(path) != FileKind::kNpy) return monitor_numbers(path, data);
  const NpyFile file(path);
  const h5::Shape& shape = file.shape();
  if (shape.size() == 1) return monitor_numbers(path, data);
  if (shape == shape_of(data)) return npy_scan(path, {}).data;
  if (begins(shape, shape_of(data))) return monitor_rows(file, data);
  throw wrong_shape(path, "shape", data, shape);
}

}  // namespace firm
