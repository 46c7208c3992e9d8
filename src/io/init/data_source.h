// A data file of `firm init`: how to open it, and the channels that become sites.
#pragma once

#include <string>
#include <vector>

#include "io/formats/scan.h"

namespace firm {

// Facts from the user about files that do not contain them; empty: guess.
struct SourceHints {
  std::string angles;      // file
  std::string axes;        // of TIFF and .npy
  std::string angle_unit;  // "deg" or "rad"
};

struct DataSource {
  std::string file;
  ScanRequest request;  // opens the file
  // Reasons of guesses in `request`; empty: no guess.
  std::string angles_why;
  std::string axes_why;
  std::string angle_unit_why;

  std::vector<std::string> elements;  // channels with an element; empty: the file has one channel
  std::string counter;                // channel with the transmission; empty: none
  std::vector<std::string> left_out;  // other channels of a file with elements
};

// Finds angles, axes and unit with which the file opens. Throws firm::Error when there are none.
DataSource find_data_source(const std::string& file, const SourceHints& hints);

}  // namespace firm
