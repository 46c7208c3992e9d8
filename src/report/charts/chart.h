// Line charts for papers: a figure holds several charts and is written as SVG or PNG.
//
// Text between "^{" and "}" in a title or label is drawn as a superscript.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/pictures/panel.h"

namespace firm {

struct Series {
  std::string label = {};  // in the legend; empty: not in the legend
  // Points that are not finite, or not positive on a log axis, break the line. A single point
  // between two breaks is drawn as a dot.
  std::vector<double> x = {}, y = {};
  // A band around y; optional. On a log axis, the band extends to the frame where low is not
  // positive.
  std::vector<double> low = {}, high = {};
  int style = 0;         // selects colour, dash and marker; repeats after 8 styles
  bool markers = false;  // draw a marker at every point
  bool line = true;
};

struct Axis {
  std::string label = {};
  bool log = false;
  // Default, also if the given range is empty or cannot be drawn: all points, bands and reference
  // lines, with a small margin.
  std::optional<ValueRange> range = {};
};

// A horizontal dashed grey line with a label.
struct ReferenceLine {
  double y = 0;
  std::string label = {};
};

struct Chart {
  std::string title = {};
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<ReferenceLine> reference_lines = {};
};

struct Figure {
  std::string title = {};
  std::size_t columns = 1;         // charts side by side
  std::vector<Chart> charts = {};  // row by row
  // Size of one chart in pixels, including the labels of the axes.
  int chart_width = 360;
  int chart_height = 270;
};

// Draws one legend for all charts below the title. Series with the same label share the style of
// the first one and appear once in the legend. The path must end in .svg or .png. Throws
// firm::Error if it does not, or if the file cannot be written.
void write_figure(const std::string& path, const Figure& figure);

}  // namespace firm
