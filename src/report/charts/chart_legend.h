// Styles of the series of a figure, and its legend.
#pragma once

#include <string>
#include <vector>

#include "report/charts/chart.h"

namespace firm {

struct SeriesStyle {
  Stroke stroke;
  Marker marker;
};

// Returns colour, dash and marker of Series::style. Colours can be told apart with any kind of
// colour vision, dashes and markers also in grey.
SeriesStyle series_style(int style);

// Opacity of a band.
inline constexpr double kBandOpacity = 0.18;

// Gives all series with the same label the style of the first one.
Figure with_shared_styles(Figure figure);

struct LegendEntry {
  std::string label;
  int style = 0;
  // Whether any series with this label has them.
  bool line = false;
  bool markers = false;
  bool band = false;
};

// One entry per label, in the order of their first series.
std::vector<LegendEntry> legend_entries(const Figure& figure);

// Entries arranged row by row in left-aligned columns.
struct LegendLayout {
  std::size_t columns = 0;
  std::vector<double> widths;  // of the columns, including the gap to the next
  int height = 0;
};

// Uses as many columns as fit into the width `room`, at least one.
LegendLayout lay_out_legend(const Canvas& canvas, const std::vector<LegendEntry>& entries,
                            double room);

// Draws the legend centred in the width `room` that starts at x.
void draw_legend(Canvas& canvas, double x, double y, double room,
                 const std::vector<LegendEntry>& entries, const LegendLayout& layout);

}  // namespace firm
