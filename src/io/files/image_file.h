// Images of several sites in one NeXus file that viewers open: truth.h5 of a simulated study,
// images.h5 of a run.
//
//   /entry                NXentry
//   /entry/<site>         NXdata, one per site: `density` in g/cm^3 or `attenuation` in 1/cm,
//                         (slice, row, column), with the axes `slice`, `row`, `column`
//   /entry/process        NXprocess, when there are notes: what made the images
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

// How the images were made. What is empty is not written.
struct ImageNotes {
  std::string study;                     // study.toml as it was resolved
  std::string summary;                   // JSON
  std::vector<ImageStack> further = {};  // images that belong to no site: a multiplier
};

// Whether a site of that name can have a group in the file and a directory on the disk.
bool is_site_name(const std::string& name);

// Viewers open the last stack by themselves. The same arguments give the same bytes. Throws
// firm::Error when the file cannot be written, or a name is not one for a site or occurs twice.
void write_images(const std::string& path, const ImageGrid& grid,
                  const std::vector<ImageStack>& stacks, const ImageNotes& notes = {});

// The images of one site, slice by slice, so that they need not fit into memory.
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
  const std::string& signal() const { return signal_; }
  const std::string& units() const { return units_; }
  // Row by row.
  std::vector<float> read(std::size_t slice) const;

 private:
  struct File;
  std::unique_ptr<File> file_;
  std::string signal_;
  std::string units_;
};

// Names of the sites whose images are in a file, sorted; the multiplier is not among them.
std::vector<std::string> image_names(const std::string& path);

// The images of one site, pixels x slices.
Block read_images(const std::string& path, const std::string& site);
// The same, but throws firm::Error unless they have the rows and columns of `grid`, and `slices`.
Block read_images(const std::string& path, const std::string& site, const ImageGrid& grid,
                  std::size_t slices);
// The same of which only some of the `slices` are read: pixels x range.count.
Block read_images(const std::string& path, const std::string& site, const ImageGrid& grid,
                  std::size_t slices, const SliceRange& range);

// The images of one site, of which nothing is read before it is asked for.
Slices stored_images(const std::string& path, const std::string& site, const ImageGrid& grid,
                     std::size_t slices);

}  // namespace firm
