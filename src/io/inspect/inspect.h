// Inspection: statistics of a data file, computed piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/progress.h"
#include "io/formats/scan.h"
#include "io/hdf5/hdf5.h"

namespace firm {

struct ValueStatistics {
  std::size_t count = 0;
  // Of the finite values; NaN when there are none.
  double min = 0;
  double max = 0;
  double mean = 0;
  std::size_t nan = 0;
  std::size_t infinite = 0;
  std::size_t zero = 0;
  std::size_t negative = 0;
  std::size_t fractional = 0;  // not whole numbers
  std::size_t saturated = 0;   // at the largest value of the type; 0 for floats
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
  // Of the finite angles, in degrees.
  double min = 0;
  double max = 0;
  std::string order;  // "ascending", "descending" or "unsorted"
  // Smallest and largest distance of neighbours after sorting; equal within 1e-3 if uniform.
  double min_step = 0;
  double max_step = 0;
  bool uniform = false;
};

// A beamlet of a slice that measures the same value at all angles.
struct DeadColumn {
  std::size_t slice = 0;
  std::size_t beamlet = 0;
  float value = 0;
};
struct DeadReport {
  std::size_t count = 0;
  std::size_t zero = 0;           // those that are always 0: there may be nothing to measure
  std::vector<DeadColumn> first;  // at most kListed
};
inline constexpr std::size_t kListed = 10;

// A frame whose level differs from that of the frame before, in the order of acquisition.
struct Jump {
  std::size_t frame = 0;
  double ratio = 0;  // to the last frame before it that is not 0
};
struct JumpReport {
  std::string level;  // the quantity compared
  std::string rule;   // the definition of a jump
  std::vector<Jump> frames;
};

struct Inspection {
  std::string file;
  ScanRequest request;  // as inspected
  std::uintmax_t file_bytes = 0;
  std::string format;
  std::string title;
  std::size_t slices = 0;
  std::size_t beamlets = 0;
  std::vector<std::string> elements;  // in the file, if it has several
  std::vector<std::string> scalers;   // can be chosen like elements
  std::string element;                // the one inspected
  std::vector<FieldReport> fields;    // data, then white, dark and monitor if present
  // Level beside the object: median over the frames of the mean of the outermost beamlets; NaN if
  // there are no finite values. The second is relative to the monitor.
  double edge = 0;
  std::optional<double> edge_to_monitor;
  bool has_white = false;
  bool has_dark = false;
  bool has_monitor = false;
  AngleReport angles;
  DeadReport dead;
  JumpReport jumps;
  std::vector<std::size_t> missing;     // frames that are 0 throughout while others are not
  std::optional<double> spacing;        // cm
  std::optional<double> rotation_axis;  // beamlets, edge coordinates
  std::vector<std::string> warnings;    // about units, and contents of the file that are ignored
  std::string study;  // lines for study.toml, with comments for missing information
};

// Inspects a file or folder: of several elements the requested one, or the first. Throws
// firm::Error when it cannot be read, or has an unknown format.
Inspection inspect_file(const std::string& path, ScanRequest request = {},
                        const Progress& progress = {});

AngleReport inspect_angles(const std::vector<double>& degrees);

}  // namespace firm
