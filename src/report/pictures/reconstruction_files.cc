#include "report/pictures/reconstruction_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <optional>

#include "core/parallel.h"
#include "firm/version.h"
#include "io/files/pending_file.h"
#include "io/tiff/tiff.h"
#include "report/pictures/image_png.h"

namespace firm {
namespace {

// Memory for one slice: the values, a copy, their colours, and the picture.
constexpr std::uint64_t kCopies = 3;
constexpr std::uint64_t kPictureBytes = std::uint64_t{10} << 20;
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

std::uint64_t bytes_per_slice(std::size_t pixels) {
  return kPictureBytes + kCopies * pixels * sizeof(float);
}

// Number of slices to write in parallel.
std::size_t slices_at_once(std::size_t pixels) {
  const auto threads = static_cast<std::uint64_t>(thread_count(0));
  return std::clamp<std::uint64_t>(kMostBytes / bytes_per_slice(pixels), 1, threads);
}

// Reports the progress in slices.
class Counter {
 public:
  Counter(const Progress& progress, const std::vector<ImageStack>& stacks) : progress_(progress) {
    for (const ImageStack& stack : stacks) total_ += stack.images.count();
  }
  // Call it before writing this many slices.
  void next(const std::string& stage, std::size_t slices) {
    report(progress_, stage, static_cast<double>(done_) / static_cast<double>(total_));
    done_ += slices;
  }

 private:
  const Progress& progress_;
  std::size_t done_ = 0;
  std::size_t total_ = 1;  // images.h5 counts as one slice
};

std::string title_of(const ImageStack& stack, std::size_t slice) {
  if (stack.images.count() == 1) return fmt::format("{}: {}", stack.name, stack.signal);
  return fmt::format("{}: {}, slice {}", stack.name, stack.signal, slice);
}

// Description in the form of ImageJ, which then shows micrometres instead of the centimetres of the
// resolution tags. Lines that ImageJ does not know are for people and scripts.
std::string description_of(const ImageStack& stack, std::size_t slice) {
  return fmt::format("ImageJ=1.53t\nunit=um\nvunit={}\nsite={}\nslice={}\nquantity={}\nfirm={}\n",
                     stack.units, stack.name, slice, stack.signal, kVersion);
}

bool has_finite(const std::vector<float>& values) {
  return std::any_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

// Range of all slices of a site.
ValueRange common_range(const Slices& images) {
  std::optional<ValueRange> all;
  for (std::size_t k = 0; k < images.count(); ++k) {
    const std::vector<float> slice = images.slice(k);
    if (!has_finite(slice)) continue;
    const ValueRange own = range_of(slice);
    all = all ? ValueRange{std::min(all->low, own.low), std::max(all->high, own.high)} : own;
  }
  return all.value_or(ValueRange{});
}

void write_slice(const std::filesystem::path& folder, const ImageGrid& grid,
                 const ImageStack& stack, std::size_t slice, const Panel& panel) {
  const std::string name = fmt::format("recon_{:05}", slice);
  write_tiff((folder / (name + ".tiff")).string(), grid.rows, grid.columns, panel.values,
             description_of(stack, slice), grid.pixel_size);
  write_image_png((folder / (name + ".png")).string(), panel, grid.pixel_size);
}

// Writes several slices in parallel: nearly all time is spent on compressing the pictures.
void write_slices(const std::filesystem::path& run, const ImageGrid& grid, const ImageStack& stack,
                  Counter& counter) {
  const std::filesystem::path folder = std::filesystem::path("recon") / (stack.name + "_rec");
  make_directory((run / folder).string());
  const ValueRange range = common_range(stack.images);
  const std::size_t slices = stack.images.count();
  std::vector<std::exception_ptr> failures(slices_at_once(grid.rows * grid.columns));
  for (std::size_t first = 0; first < slices; first += failures.size()) {
    const std::size_t count = std::min(failures.size(), slices - first);
    counter.next("writing " + folder.string(), count);
    std::vector<Panel> panels;
    for (std::size_t k = first; k < first + count; ++k) {
      panels.push_back(
          {title_of(stack, k), grid.rows, grid.columns, stack.images.slice(k), stack.units, range});
    }
    parallel_for(count, thread_count(0), [&](std::size_t k) {
      try {
        write_slice(run / folder, grid, stack, first + k, panels[k]);
      } catch (...) {
        failures[k] = std::current_exception();
      }
    });
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }
}

}  // namespace

std::uint64_t memory_for_pictures(std::size_t pixels) {
  return slices_at_once(pixels) * bytes_per_slice(pixels);
}

void write_reconstruction(const std::string& run_directory, const ImageGrid& grid,
                          const std::vector<ImageStack>& stacks, const ImageNotes& notes,
                          const Progress& progress) {
  const std::filesystem::path run(run_directory);
  Counter counter(progress, stacks);
  make_directory(run_directory);
  counter.next("writing images.h5", 1);
  // Written first, because it holds everything and rejects names that cannot be directories.
  write_images((run / "images.h5").string(), grid, stacks, notes);
  for (const ImageStack& stack : stacks) write_slices(run, grid, stack, counter);
  report(progress, "written", 1);
}

}  // namespace firm
