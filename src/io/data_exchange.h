// Data Exchange: one site's sinogram in the HDF5 layout of the Advanced Photon Source.
//
//   /exchange/data         (theta, y, x), or (y, theta, x) where its `axes` attribute says so
//   /exchange/data_white   (n, y, x)   flat fields, optional
//   /exchange/data_dark    (n, y, x)   dark fields, optional
//   /exchange/theta        degrees, in any order; without it
//                          /process/acquisition/rotation/{rotation_start,rotation_step,num_angles}
//
// y is the slice, x the beamlet. docs/formats.md has the rest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "firm/block.h"
#include "io/hdf5.h"

namespace firm {

// One site's measurement in memory.
struct Acquisition {
  std::string title;
  std::string units;  // of `data`: "g/cm^2", "1" after the logarithm, or "counts"
  std::string note;   // how the data came about, one line

  std::vector<double> theta;  // degrees
  int beamlets = 0;
  double spacing = 0;        // cm, between beamlets; 0 when the file does not tell
  double rotation_axis = 0;  // beamlets, edge coordinates; middle when the file does not tell

  // Columns are slices; rows are angle * beamlets + beamlet, or frame * beamlets + beamlet.
  Block data;
  Block white;  // no rows when there are none
  Block dark;
};

void write_acquisition(const std::string& path, const Acquisition& acquisition);
Acquisition read_acquisition(const std::string& path);

// One of the stacks of frames in a file: data, data_white or data_dark.
struct FrameStack {
  h5::Dataset dataset;
  std::size_t frame_axis = 0;  // 0: (frame, y, x); 1: (y, frame, x)
  std::string axes;            // as in the file, or "theta:y:x" where it does not say
  std::string units;           // as in the file, or "counts" where it does not say

  std::size_t frames() const { return dataset.shape()[frame_axis]; }
  std::size_t slices() const { return dataset.shape()[1 - frame_axis]; }
  std::size_t beamlets() const { return dataset.shape()[2]; }

  // Frames first .. first + count - 1 in the order (frame, y, x), whatever the order in the file.
  std::vector<float> read_frames(std::size_t first, std::size_t count) const;
};

// An open file whose layout has been checked; values are read when they are asked for.
class DataExchangeFile {
 public:
  // Throws firm::Error when it is not such a file; says what it looks like, and what is in it.
  explicit DataExchangeFile(const std::string& path);

  const FrameStack& data() const { return data_; }
  const std::optional<FrameStack>& white() const { return white_; }
  const std::optional<FrameStack>& dark() const { return dark_; }

  const std::vector<double>& theta() const { return theta_; }  // degrees
  // Where `theta` comes from: a dataset or a group.
  const std::string& theta_source() const { return theta_source_; }
  std::optional<double> spacing() const { return spacing_; }  // cm
  std::optional<double> rotation_axis() const { return rotation_axis_; }
  const std::string& title() const { return title_; }

 private:
  void read_theta();
  void read_metadata();

  h5::Reader reader_;
  FrameStack data_;
  std::optional<FrameStack> white_;
  std::optional<FrameStack> dark_;
  std::vector<double> theta_;
  std::string theta_source_;
  std::optional<double> spacing_;
  std::optional<double> rotation_axis_;
  std::string title_;
};

}  // namespace firm
