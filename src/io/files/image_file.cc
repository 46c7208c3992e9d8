#include "io/files/image_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "firm/error.h"
#include "firm/version.h"
#include "io/files/crash_guard.h"
#include "io/files/npy_images.h"
#include "io/formats/unknown_format.h"
#include "io/hdf5/hdf5.h"
#include "io/study/quantity.h"

namespace firm {
namespace {

constexpr const char* kEntry = "/entry";
constexpr const char* kProcess = "/entry/process";
constexpr const char* kProgramName = "/entry/program_name";

std::string group_of(const std::string& site) { return std::string(kEntry) + "/" + site; }

void require_names(const std::string& path, const std::vector<ImageStack>& stacks) {
  std::set<std::string> seen;
  for (const ImageStack& stack : stacks) {
    if (!is_site_name(stack.name)) {
      throw data_error({path, "name of a site", "one that can be the name of a directory",
                        "'" + stack.name + "'"});
    }
    if (!seen.insert(stack.name).second) {
      throw data_error({path, "name of a site", "a different one for each", "two " + stack.name});
    }
  }
}

// Distances of pixel centres from the first edge. They ascend, which viewers handle best.
void write_axis(h5::Writer& writer, const std::string& group, const std::string& name,
                std::size_t count, double step_um) {
  std::vector<double> centres;
  for (std::size_t i = 0; i < count; ++i) {
    centres.push_back((static_cast<double>(i) + 0.5) * step_um);
  }
  const std::string path = group + "/" + name;
  writer.dataset(path, {count}, std::span<const double>(centres));
  writer.attribute(path, "units", "um");
  writer.attribute(path, "long_name", name + " (um)");
}

void write_slice_numbers(h5::Writer& writer, const std::string& path, std::size_t count) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<std::int64_t>(i));
  writer.dataset(path, {count}, std::span<const std::int64_t>(numbers));
  writer.attribute(path, "units", "1");
}

void write_slices(h5::Writer& writer, const std::string& path, const ImageGrid& grid,
                  const Slices& images) {
  const h5::Handle target = writer.create(path, {images.count(), grid.rows, grid.columns});
  for (std::size_t k = 0; k < images.count(); ++k) {
    writer.fill(target, path, {{k, 0, 0}, {1, grid.rows, grid.columns}}, images.slice(k));
  }
}

void write_stack(h5::Writer& writer, const ImageGrid& grid, const ImageStack& stack) {
  FIRM_CHECK(stack.images.pixels() == grid.rows * grid.columns);
  const std::string group = group_of(stack.name);
  const std::string signal = group + "/" + stack.signal;
  writer.group(group);
  writer.attribute(group, "NX_class", "NXdata");
  writer.attribute(group, "signal", stack.signal);
  writer.attribute(group, "axes", std::vector<std::string>{"slice", "row", "column"});
  writer.text(group + "/title", stack.name);
  write_slices(writer, signal, grid, stack.images);
  writer.attribute(signal, "units", stack.units);
  writer.attribute(signal, "long_name", fmt::format("{} ({})", stack.signal, stack.units));
  writer.attribute(signal, "interpretation", "image");
  write_slice_numbers(writer, group + "/slice", stack.images.count());
  const double step = grid.pixel_size / kMicrometre;
  write_axis(writer, group, "row", grid.rows, step);
  write_axis(writer, group, "column", grid.columns, step);
}

// Makes the groups that a name has before its last part, unless they are there.
void write_groups(h5::Writer& writer, const std::string& name, std::set<std::string>& written) {
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
    const std::string group = group_of(name.substr(0, end));
    if (!written.insert(group).second) continue;
    writer.group(group);
    writer.attribute(group, "NX_class", "NXcollection");
  }
}

void write_notes(h5::Writer& writer, const ImageNotes& notes) {
  if (notes.study.empty() && notes.summary.empty()) return;
  const std::string group = kProcess;
  writer.group(group);
  writer.attribute(group, "NX_class", "NXprocess");
  writer.text(group + "/program", "firm");
  writer.text(group + "/version", kVersion);
  if (!notes.study.empty()) writer.text(group + "/study", notes.study);
  if (!notes.summary.empty()) writer.text(group + "/summary", notes.summary);
}

void write_numbers(h5::Writer& writer, const ImageNumbers& numbers) {
  const std::string path = group_of(numbers.path);
  if (numbers.scalar) {
    FIRM_CHECK(numbers.values.size() == 1);
    writer.number(path, numbers.values.front(), numbers.units);
  } else {
    writer.dataset(path, {numbers.values.size()}, std::span<const double>(numbers.values));
    writer.attribute(path, "units", numbers.units);
  }
  if (!numbers.description.empty()) writer.attribute(path, "description", numbers.description);
}

// Sites with images in the file, sorted.
std::set<std::string> sites_in(const h5::Reader& reader) {
  const std::string start = group_of("");
  std::set<std::string> sites;
  for (const std::string& path : reader.dataset_paths()) {
    if (!path.starts_with(start)) continue;
    const std::size_t end = path.find('/', start.size());
    if (end == std::string::npos) continue;
    const std::string site = path.substr(start.size(), end - start.size());
    if (reader.text_attribute(group_of(site), "signal")) sites.insert(site);
  }
  return sites;
}

h5::Dataset open_images(const h5::Reader& reader, const std::string& site) {
  const std::string group = group_of(site);
  const auto signal = reader.text_attribute(group, "signal");
  if (!signal) {
    const std::set<std::string> sites = sites_in(reader);
    throw data_error({reader.file(), group, "images of this site (NXdata with a signal)",
                      sites.empty() ? describe_unknown_format(reader)
                                    : fmt::format("only those of {}", fmt::join(sites, ", "))});
  }
  h5::Dataset dataset = reader.dataset(group + "/" + *signal);
  const h5::Shape& shape = dataset.shape();
  if (shape.size() != 3 || h5::element_count(shape) == 0) {
    throw data_error({reader.file(), dataset.path(),
                      "three dimensions (slice, row, column), none of them 0",
                      "the shape " + h5::to_string(shape)});
  }
  dataset.check_size();
  return dataset;
}

// The images of one site, read slice by slice.
class StackReader {
 public:
  virtual ~StackReader() = default;

  virtual h5::Shape shape() const = 0;    // (slice, row, column)
  virtual std::string field() const = 0;  // for errors
  virtual void read(std::size_t slice, std::span<float> out) const = 0;
};

class HdfStack : public StackReader {
 public:
  HdfStack(const h5::Reader& reader, const std::string& site)
      : dataset_(open_images(reader, site)) {}

  h5::Shape shape() const override { return dataset_.shape(); }
  std::string field() const override { return dataset_.path(); }
  void read(std::size_t slice, std::span<float> out) const override {
    dataset_.read({{slice, 0, 0}, {1, shape()[1], shape()[2]}}, out);
  }

 private:
  h5::Dataset dataset_;
};

// A folder with one array per site.
class NpyStack : public StackReader {
 public:
  NpyStack(const std::string& folder, const std::string& site) : images_(folder, site) {}

  h5::Shape shape() const override { return images_.shape(); }
  std::string field() const override { return images_.name(); }
  void read(std::size_t slice, std::span<float> out) const override { images_.read(slice, out); }

 private:
  NpyImages images_;
};

std::unique_ptr<StackReader> open_stack(const std::string& path, const std::string& site) {
  if (std::filesystem::is_directory(path)) return std::make_unique<NpyStack>(path, site);
  require_no_array(path);
  return std::make_unique<HdfStack>(h5::Reader(path), site);
}

// Throws firm::Error unless the images have this shape.
std::unique_ptr<StackReader> open_stack(const std::string& path, const std::string& site,
                                        const ImageGrid& grid, std::size_t slices) {
  std::unique_ptr<StackReader> stack = open_stack(path, site);
  const h5::Shape expected = {slices, grid.rows, grid.columns};
  if (stack->shape() != expected) {
    throw data_error({path, stack->field(),
                      "the shape " + h5::to_string(expected) + " (slice, row, column)",
                      h5::to_string(stack->shape())});
  }
  return stack;
}

Block read_slices(const StackReader& stack, const SliceRange& range) {
  const h5::Shape shape = stack.shape();
  Block images(shape[1] * shape[2], range.count);
  std::vector<float> slice(images.rows());
  for (std::size_t k = 0; k < range.count; ++k) {
    stack.read(range.first + k, slice);
    for (std::size_t pixel = 0; pixel < slice.size(); ++pixel) images(pixel, k) = slice[pixel];
  }
  return images;
}

}  // namespace

bool is_site_name(const std::string& name) {
  // "." and ".." mean other groups and directories; the rest is used by the file itself.
  for (const char* taken :
       {"", ".", "..", "process", "program_name", "multiplier", kSelfAbsorptionGroup}) {
    if (name == taken) return false;
  }
  return name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

void write_images(const std::string& path, const ImageGrid& grid,
                  const std::vector<ImageStack>& stacks, const ImageNotes& notes) {
  FIRM_CHECK(!stacks.empty());
  require_names(path, stacks);
  h5::Writer writer(path);
  writer.attribute("/", "NX_class", "NXroot");
  writer.attribute("/", "creator", "firm");
  writer.attribute("/", "default", "entry");
  writer.group(kEntry);
  writer.attribute(kEntry, "NX_class", "NXentry");
  writer.attribute(kEntry, "default", stacks.back().name);
  writer.text(kProgramName, "firm");
  writer.attribute(kProgramName, "version", kVersion);
  for (const ImageStack& stack : stacks) write_stack(writer, grid, stack);
  std::set<std::string> groups;
  for (const ImageStack& stack : notes.further) {
    write_groups(writer, stack.name, groups);
    write_stack(writer, grid, stack);
  }
  for (const ImageNumbers& numbers : notes.numbers) write_numbers(writer, numbers);
  write_notes(writer, notes);
  writer.commit();
}

struct ImageSlices::File {
  std::unique_ptr<StackReader> stack;
};

ImageSlices::ImageSlices(const std::string& path, const std::string& site)
    : file_(std::make_unique<File>(File{open_stack(path, site)})) {
  if (std::filesystem::is_directory(path)) return;  // arrays have no units
  const h5::Reader reader(path);
  signal_ = *reader.text_attribute(group_of(site), "signal");
  units_ = reader.text_attribute(file_->stack->field(), "units").value_or("");
}

ImageSlices::~ImageSlices() = default;

std::size_t ImageSlices::slices() const { return file_->stack->shape()[0]; }
std::size_t ImageSlices::rows() const { return file_->stack->shape()[1]; }
std::size_t ImageSlices::columns() const { return file_->stack->shape()[2]; }

std::vector<float> ImageSlices::read(std::size_t slice) const {
  std::vector<float> values(rows() * columns());
  file_->stack->read(slice, values);
  return values;
}

void guard_images(const std::string& path) {
  if (std::filesystem::is_directory(path)) return;
  guard_hdf5(path, [&] {
    for (const std::string& name : image_names(path)) {
      static_cast<void>(ImageSlices(path, name).read(0));
    }
  });
}

std::vector<std::string> image_names(const std::string& path) {
  const h5::Reader reader(path);
  std::set<std::string> names = sites_in(reader);
  names.erase("multiplier");
  return {names.begin(), names.end()};
}

Block read_images(const std::string& path, const std::string& site) {
  const std::unique_ptr<StackReader> stack = open_stack(path, site);
  return read_slices(*stack, {0, stack->shape()[0]});
}

Block read_images(const std::string& path, const std::string& site, const ImageGrid& grid,
                  std::size_t slices) {
  return read_images(path, site, grid, slices, {0, slices});
}

Block read_images(const std::string& path, const std::string& site, const ImageGrid& grid,
                  std::size_t slices, const SliceRange& range) {
  FIRM_CHECK(range.first + range.count <= slices);
  return read_slices(*open_stack(path, site, grid, slices), range);
}

Slices stored_images(const std::string& path, const std::string& site, const ImageGrid& grid,
                     std::size_t slices) {
  // Opens the file for every slice: a large volume has too many files to keep open.
  return {grid.rows * grid.columns, slices, [=](std::size_t k, std::span<float> out) {
            open_stack(path, site, grid, slices)->read(k, out);
          }};
}

}  // namespace firm
