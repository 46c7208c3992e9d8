// NpyImages: the images of one site in an array, SITE.npy in a folder with one file per site.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/files/npy_file.h"

namespace firm {

class NpyImages {
 public:
  // Throws firm::Error unless the file has an array (slice, row, column), or (row, column) of one
  // slice.
  NpyImages(const std::string& folder, const std::string& site);

  const std::string& name() const { return name_; }  // of the file in the folder
  std::vector<std::size_t> shape() const { return shape_; }
  // Pixels row by row. Reads the whole array if it is in the order of Fortran.
  void read(std::size_t slice, std::span<float> out) const;

 private:
  std::string name_;
  NpyFile file_;
  std::vector<std::size_t> shape_;
};

// Throws firm::Error if the path is an array: images of several sites need a folder.
void require_no_array(const std::string& path);

}  // namespace firm
