#include "io/truth_file.h"

#include "firm/error.h"
#include "firm/version.h"
#include "io/hdf5.h"
#include "io/length.h"

namespace firm {
namespace {

std::string group_of(const std::string& site) { return "/entry/" + site; }

// Distances of the pixel centres from the first edge: rising, which is what viewers handle best.
void write_axis(h5::Writer& writer, const std::string& path, std::size_t count, double step,
                const std::string& units) {
  std::vector<double> centres;
  for (std::size_t i = 0; i < count; ++i) centres.push_back((static_cast<double>(i) + 0.5) * step);
  writer.dataset(path, {count}, std::span<const double>(centres));
  writer.attribute(path, "units", units);
}

void write_slice_numbers(h5::Writer& writer, const std::string& path, std::size_t count) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<std::int64_t>(i));
  writer.dataset(path, {count}, std::span<const std::int64_t>(numbers));
  writer.attribute(path, "units", "1");
}

void write_images(h5::Writer& writer, const std::string& path, const ImageGrid& grid,
                  const Block& images) {
  const h5::Handle target = writer.create(path, {images.columns(), grid.rows, grid.columns});
  std::vector<float> slice(images.rows());
  for (std::size_t k = 0; k < images.columns(); ++k) {
    for (std::size_t pixel = 0; pixel < images.rows(); ++pixel) slice[pixel] = images(pixel, k);
    writer.fill(target, path, {{k, 0, 0}, {1, grid.rows, grid.columns}}, slice);
  }
}

void write_stack(h5::Writer& writer, const ImageGrid& grid, const ImageStack& stack) {
  FIRM_CHECK(stack.images->rows() == grid.rows * grid.columns);
  const std::string group = group_of(stack.name);
  writer.group(group);
  writer.attribute(group, "NX_class", "NXdata");
  writer.attribute(group, "signal", stack.signal);
  writer.attribute(group, "axes", std::vector<std::string>{"slice", "row", "column"});
  write_images(writer, group + "/" + stack.signal, grid, *stack.images);
  writer.attribute(group + "/" + stack.signal, "units", stack.units);
  writer.attribute(group + "/" + stack.signal, "interpretation", "image");
  write_slice_numbers(writer, group + "/slice", stack.images->columns());
  const double step = grid.pixel_size / kMicrometre;
  write_axis(writer, group + "/row", grid.rows, step, "um");
  write_axis(writer, group + "/column", grid.columns, step, "um");
}

}  // namespace

void write_truth(const std::string& path, const ImageGrid& grid,
                 const std::vector<ImageStack>& stacks) {
  FIRM_CHECK(!stacks.empty());
  h5::Writer writer(path);
  writer.attribute("/", "default", "entry");
  writer.group("/entry");
  writer.attribute("/entry", "NX_class", "NXentry");
  writer.attribute("/entry", "default", stacks.back().name);
  writer.text("/entry/program_name", "firm");
  writer.attribute("/entry/program_name", "version", kVersion);
  for (const ImageStack& stack : stacks) write_stack(writer, grid, stack);
  writer.commit();
}

Block read_truth(const std::string& path, const std::string& site) {
  const h5::Reader reader(path);
  const std::string group = group_of(site);
  const auto signal = reader.text_attribute(group, "signal");
  if (!signal) throw data_error({path, group, "an NXdata group with a signal", "none"});
  const h5::Dataset dataset = reader.dataset(group + "/" + *signal);
  const h5::Shape& shape = dataset.shape();
  if (shape.size() != 3) {
    throw data_error({path, dataset.path(), "three dimensions (slice, row, column)",
                      "the shape " + h5::to_string(shape)});
  }
  Block images(shape[1] * shape[2], shape[0]);
  std::vector<float> slice(images.rows());
  for (std::size_t k = 0; k < shape[0]; ++k) {
    dataset.read({{k, 0, 0}, {1, shape[1], shape[2]}}, std::span<float>(slice));
    for (std::size_t pixel = 0; pixel < slice.size(); ++pixel) images(pixel, k) = slice[pixel];
  }
  return images;
}

}  // namespace firm
