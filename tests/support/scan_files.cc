#include "support/scan_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

namespace firm {

double counted(std::size_t angle, std::size_t y, std::size_t x) {
  return static_cast<double>((angle * kSlices + y) * kBeamlets + x);
}

void expect_counted(const Frames& frames, double first) {
  ASSERT_EQ(frames.frames(), kAngles);
  ASSERT_EQ(frames.slices(), kSlices);
  ASSERT_EQ(frames.beamlets(), kBeamlets);
  const std::vector<float> all = frames.read({0, kAngles, 0, kSlices});
  ASSERT_EQ(all.size(), kAngles * kSlices * kBeamlets);
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_EQ(all[k], static_cast<float>(first + static_cast<double>(k))) << k;
  }
  const std::vector<float> part = frames.read({1, 2, 1, 1});  // two frames of one slice
  ASSERT_EQ(part.size(), 2 * kBeamlets);
  for (std::size_t k = 0; k < part.size(); ++k) {
    const double value = first + counted(1 + k / kBeamlets, 1, k % kBeamlets);
    EXPECT_EQ(part[k], static_cast<float>(value)) << k;
  }
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string numbered(const std::string& name, std::size_t number, const std::string& end) {
  std::string text = name;
  text += std::to_string(number);
  text += end;
  return text;
}

std::string write_angles(const std::string& path) {
  write_bytes(path, "# of the stage\n0\n45\n90\n135\n");
  return path;
}

void write_npy(const std::string& path, const std::vector<std::size_t>& shape,
               const std::vector<float>& values) {
  std::string sizes = "(";
  for (const std::size_t size : shape) sizes += std::to_string(size) + ", ";
  std::string bytes;
  for (const float value : values) bytes += bytes_of(value);
  write_bytes(path, npy(1, npy_header("<f4", sizes + ")"), bytes));
}

std::string npy(int version, const std::string& header, const std::string& values) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::string padded = header;
  while ((bytes.size() + length_bytes + padded.size() + 1) % 64 != 0) padded += ' ';
  padded += '\n';
  for (std::size_t k = 0; k < length_bytes; ++k) {
    bytes += static_cast<char>((padded.size() >> (8 * k)) & 255);
  }
  return bytes + padded + values;
}

std::string npy_header(const std::string& type, const std::string& shape, bool fortran) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

}  // namespace firm
