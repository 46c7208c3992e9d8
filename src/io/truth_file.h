// truth.h5: the images a simulated study was made from, in a NeXus layout that viewers open.
//
//   /entry                NXentry
//   /entry/<site>         NXdata, one per site: `density` in g/cm^3 or `attenuation` in 1/cm,
//                         (slice, row, column), with the axes `slice`, `row`, `column`
#pragma once

#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

struct ImageStack {
  std::string name;    // of the site
  std::string signal;  // "density" or "attenuation"
  std::string units;
  const Block* images = nullptr;  // pixels x slices
};

struct ImageGrid {
  std::size_t rows = 0;
  std::size_t columns = 0;
  double pixel_size = 0;  // cm
};

void write_truth(const std::string& path, const ImageGrid& grid,
                 const std::vector<ImageStack>& stacks);
// The images of one site, pixels x slices.
Block read_truth(const std::string& path, const std::string& site);

}  // namespace firm
