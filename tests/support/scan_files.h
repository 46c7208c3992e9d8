// Small scans for tests that write files and read them back. Values count upwards from 0.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "io/formats/scan.h"

namespace firm {

inline constexpr std::size_t kAngles = 4;
inline constexpr std::size_t kSlices = 2;
inline constexpr std::size_t kBeamlets = 3;

// 0, 1, 2, ... in the order theta:y:x; small enough for every number type.
double counted(std::size_t angle, std::size_t y, std::size_t x);

// Reads all frames, and a part of them, and compares with counted() + first.
void expect_counted(const Frames& frames, double first = 0);

void write_bytes(const std::string& path, const std::string& bytes);

// name + number + end, as in "img_7.tif".
std::string numbered(const std::string& name, std::size_t number, const std::string& end);

// Writes a text file with kAngles angles; returns its path.
std::string write_angles(const std::string& path);

// ---- .npy

// The value as it is stored in a file.
template <typename T>
std::string bytes_of(T value, bool big_endian = false) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  if (big_endian) bytes = {bytes.rbegin(), bytes.rend()};
  return bytes;
}

// A file with a header such as "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".
std::string npy(int version, const std::string& header, const std::string& values);

// Writes float32 values in the order of C.
void write_npy(const std::string& path, const std::vector<std::size_t>& shape,
               const std::vector<float>& values);

std::string npy_header(const std::string& type, const std::string& shape, bool fortran = false);

}  // namespace firm
