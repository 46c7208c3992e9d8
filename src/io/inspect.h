// What is in a data file, found without holding it in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/progress.h"
#include "io/hdf5.h"
#include "io/scan.h"

namespace firm {

struct ValueStatistics {
  std::size_t count = 0;
  // Over the finite values; NaN when there is none.
  double min = 0;
  double max = 0;
  double mean = 0;
  std::size_t nan = 0;
  std::size_t infinite = 0;
  std::size_t zero = 0;
  std::size_t negative = 0;
};

struct FieldReport {
  std::string path;
  h5::Shape shape;
  std::string type;
  std::string axes;
  std::string units;
  ValueStatistics values;
};

struct AngleReport {
  std::string source;
  std::size_t count = 0;
  std::size_t not_finite = 0;
  // Over the finite angles, in degrees.
  double min = 0;
  double max = 0;
  std::string order;  // "ascending", "descending" or "unsorted"
  // Smallest and largest distance between neighbours once sorted; equal to 1e-3 when uniform.
  double min_step = 0;
  double max_step = 0;
  bool uniform = false;
};

struct Inspection {
  std::string file;
  std::uintmax_t file_bytes = 0;
  std::string format;
  std::string title;
  std::size_t slices = 0;
  std::size_t beamlets = 0;
  std::vector<std::string> elements;  // that the file has, where it has several
  std::string element;                // that this is about
  std::vector<FieldReport> fields;    // data first, then white, dark, monitor where they are
  AngleReport angles;
  std::optional<double> spacing;        // cm
  std::optional<double> rotation_axis;  // beamlets, edge coordinates
};

// Throws firm::Error when the file cannot be read, or is not of a format FIRM reads.
// Of a file with several elements, about `element`; empty: the first.
Inspection inspect_file(const std::string& path, const std::string& element = "",
                        const Progress& progress = {});

AngleReport inspect_angles(const std::vector<double>& degrees);

}  // namespace firm
