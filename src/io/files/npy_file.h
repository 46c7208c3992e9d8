// NpyFile: an array as NumPy saves it (.npy, versions 1 to 3).
#pragma once

#include <vector>

#include "io/files/number_type.h"
#include "io/files/raw_file.h"

namespace firm {

class NpyFile {
 public:
  // Reads the header. Throws firm::Error unless the file holds a complete array of integers, or of
  // floats of 4 or 8 bytes.
  explicit NpyFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const NumberType& type() const { return type_; }
  const std::vector<std::size_t>& shape() const { return shape_; }
  // Whether the first index runs fastest in the file.
  bool fortran_order() const { return fortran_order_; }

  // Reads the values `first` .. `first + out.size() - 1`, in file order.
  void read(std::size_t first, std::span<float> out) const;
  std::vector<double> read_all() const;

 private:
  std::vector<std::byte> raw(std::size_t first, std::size_t count) const;

  RawFile file_;
  NumberType type_;
  bool big_endian_ = false;
  bool fortran_order_ = false;
  std::vector<std::size_t> shape_;
  std::uintmax_t begin_ = 0;  // of the values
};

}  // namespace firm
