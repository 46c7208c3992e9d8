// Charts of lines, for papers: several in one figure, written as SVG or PNG.
//
// What is between "^{" and "}" in a title or label is raised.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/pictures/panel.h"

namespace firm {

struct Series {
  std::string label = {};  // for the legend; empty: not in it
  // Points that are not finite, or not positive on a log axis, break the line. A point alone
  // between such is a dot.
  std::vector<double> x = {}, y = {};
  // A band around y; may be empty. On a log axis, it goes down to the frame where low is not
  // positive.
  std::vector<double> low = {}, high = {};
  int style = 0;         // colour, dash and marker together: 0..7, then again from the start
  bool markers = false;  // a marker at every point; otherwise only the line
  bool line = true;
};

struct Axis {
  std::string label = {};
  bool log = false;
  // Without it, or when it is empty or cannot be shown, all points, bands and levels and a little
  // more.
  std::optional<ValueRange> range = {};
};

// A horizontal dashed grey line with its label.
struct Level {
  double y = 0;
  std::string label = {};
};

struct Chart {
  std::string title = {};
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<Level> levels = {};
};

struct Figure {
  std::string title = {};
  std::size_t columns = 1;         // charts side by side
  std::vector<Chart> charts = {};  // row by row
  // In pixels, with the labels of the axes.
  int chart_width = 360;
  int chart_height = 270;
};

// One legend for all charts below the title: series of equal label share the style of the first of
// them and appear once. The path ends in .svg or .png; throws firm::Error when it does not, and
// when the file cannot be written.
void write_figure(const std::string& path, const Figure& figure);

}  // namespace firm
