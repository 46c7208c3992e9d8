// Images of several sites in one NeXus file that viewers open: truth.h5 of a simulated study,
// images.h5 of a run.
//
//   /entry                NXentry
//   /entry/<site>         NXdata, one per site: `density` in g/cm^3 or `attenuation` in 1/cm,
//                         (slice, row, column), with the axes `slice`, `row`, `column`
//   /entry/process        NXprocess, if there are notes: the program, study and summary
//
// The functions that read images also take a folder with one array per site (npy_images.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/slice_range.h"
#include "firm/block.h"
#include "io/files/slices.h"

namespace firm {

struct ImageStack {
  std::string name;    // of the site
  std::string signal;  // "density" or "attenuation"
  std::string units;
  Slices images;
};

struct ImageGrid {
  std::size_t rows = 0;
  std::size_t columns = 0;
  double pixel_size = 0;  // cm
};

// Numbers about the images: a dataset of one dimension, or a scalar.
struct ImageNumbers {
  std::string path;  // below /entry, with groups: "scan/xrt/gain"
  std::vector<double> values;
  std::string units;
  bool scalar = false;
  std::string description = {};  // for people; empty: none
};

// How the images were made. Empty fields are not written.
struct ImageNotes {
  std::string study;    // study.toml, completed
  std::string summary;  // JSON
  // Images without a site: a multiplier, or further ones, with groups in their names.
  std::vector<ImageStack> further = {};
  std::vector<ImageNumbers> numbers = {};
};

// Group of the images in which self-absorption is written: /entry/self-absorption/<site>/<energy>.
inline constexpr const char* kSelfAbsorptionGroup = "self-absorption";

// Whether the name can be that of a group in the file and of a directory.
bool is_site_name(const std::string& name);

// Writes the file; viewers show the last stack first. Equal arguments give equal bytes. Throws
// firm::Error when the file cannot be written, or a name is invalid or occurs twice.
void write_images(const std::string& path, const ImageGrid& grid,
                  const std::vector<ImageStack>& stacks, const ImageNotes& notes = {});

// Reads the images of one site slice by slice, for stacks larger than memory.
class ImageSlices {
 public:
  // Throws firm::Error when the file has no images of this site.
  ImageSlices(const std::string& path, const std::string& site);
  ~ImageSlices();
  ImageSlices(const ImageSlices&) = delete;
  ImageSlices& operator=(const ImageSlices&) = delete;

  std::size_t slices() const;
  std::size_t rows() const;
  std::size_t columns() const;
  // Both are empty for arrays.
  const std::string& signal() const { return signal_; }
  const std::string& units() const { return units_; }
  // Pixels row by row.
  std::vector<float> read(std::size_t slice) const;

 private:
  struct File;
  std::unique_ptr<File> file_;
  std::string signal_;
  std::string units_;
};

// Throws firm::Error if the HDF5 library crashes on the file: reads it in a child process. For
// files that may be damaged or come from elsewhere, before any other function reads them.
void guard_images(const std::string& path);

// Sorted names of the sites in a file; the multiplier is none of them.
std::vector<std::string> image_names(const std::string& path);

// Reads the images of one site, pixels x slices.
Block read_images(const std::string& path, const std::string& site);
// Also throws firm::Error unless the images have the size of `grid` and this many slices.
Block read_images(const std::string& path, const std::string& site, const ImageGrid& grid,
                  std::size_t slices);
// Reads only a range of the slices: pixels x range.count.
Block read_images(const std::string& path, const std::string& site, const ImageGrid& grid,
                  std::size_t slices, const SliceRange& range);

// The images of one site, each read when it is asked for.
Slices stored_images(const std::string& path, const std::string& site, const ImageGrid& grid,
                     std::size_t slices);

}  // namespace firm
