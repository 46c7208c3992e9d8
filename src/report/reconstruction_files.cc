#include "report/reconstruction_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>

#include "core/parallel.h"
#include "firm/version.h"
#include "io/pending_file.h"
#include "io/tiff.h"
#include "report/image_png.h"

namespace firm {
namespace {

// Tells the caller how much of the work is done.
class Counter {
 public:
  Counter(const Progress& progress, const std::vector<ImageStack>& stacks) : progress_(progress) {
    for (const ImageStack& stack : stacks) total_ += stack.images->columns();
  }
  // Before that many slices.
  void next(const std::string& stage, std::size_t slices) {
    report(progress_, stage, static_cast<double>(done_) / static_cast<double>(total_));
    done_ += slices;
  }

 private:
  const Progress& progress_;
  std::size_t done_ = 0;
  std::size_t total_ = 1;  // images.h5 counts like a slice
};

std::string title_of(const ImageStack& stack, std::size_t slice) {
  if (stack.images->columns() == 1) return fmt::format("{}: {}", stack.name, stack.signal);
  return fmt::format("{}: {}, slice {}", stack.name, stack.signal, slice);
}

std::string description_of(const ImageStack& stack, std::size_t slice) {
  return fmt::format("{}, slice {}: {} in {}; firm {}", stack.name, slice, stack.signal,
                     stack.units, kVersion);
}

void write_slice(const std::filesystem::path& folder, const ImageGrid& grid,
                 const ImageStack& stack, std::size_t slice, const ValueRange& range) {
  Panel panel = make_panel(title_of(stack, slice), *stack.images, slice, grid.rows, grid.columns);
  panel.units = stack.units;
  panel.range = range;
  const std::string name = fmt::format("recon_{:05}", slice);
  write_tiff((folder / (name + ".tiff")).string(), grid.rows, grid.columns, panel.values,
             description_of(stack, slice), grid.pixel_size);
  write_image_png((folder / (name + ".png")).string(), panel, grid.pixel_size);
}

// Several at once: nearly all of the time goes into the compression of the pictures.
void write_slices(const std::filesystem::path& run, const ImageGrid& grid, const ImageStack& stack,
                  Counter& counter) {
  const std::filesystem::path place = std::filesystem::path("recon") / (stack.name + "_rec");
  make_directory((run / place).string());
  const ValueRange range = range_of(stack.images->values());
  const std::size_t slices = stack.images->columns();
  const int threads = thread_count(0);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(threads));
  for (std::size_t first = 0; first < slices; first += failures.size()) {
    const std::size_t count = std::min(failures.size(), slices - first);
    counter.next("writing " + place.string(), count);
    parallel_for(count, threads, [&](std::size_t k) {
      try {
        write_slice(run / place, grid, stack, first + k, range);
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

void write_reconstruction(const std::string& run_directory, const ImageGrid& grid,
                          const std::vector<ImageStack>& stacks, const ImageNotes& notes,
                          const Progress& progress) {
  const std::filesystem::path run(run_directory);
  Counter counter(progress, stacks);
  make_directory(run_directory);
  counter.next("writing images.h5", 1);
  // First: it has all there is, and it refuses names that cannot be those of directories.
  write_images((run / "images.h5").string(), grid, stacks, notes);
  for (const ImageStack& stack : stacks) write_slices(run, grid, stack, counter);
  report(progress, "written", 1);
}

}  // namespace firm
