// How the series of a figure look, and the legend that tells which is which.
#pragma once

#include <string>
#include <vector>

#include "report/charts/chart.h"

namespace firm {

struct SeriesStyle {
  Stroke stroke;
  Marker marker;
};

// Of a series' `style`: colours that can be told apart with any kind of colour vision, dashes and
// markers that can in grey.
SeriesStyle series_style(int style);

// The colour of a band.
inline constexpr double kBandOpacity = 0.18;

// The figure with the style of the first series of a label in all that have it.
Figure with_shared_styles(Figure figure);

struct LegendEntry {
  std::string label;
  int style = 0;
  // Whether any series of the label has them.
  bool line = false;
  bool markers = false;
  bool band = false;
};

// One entry for every label, in the order of their first series.
std::vector<LegendEntry> legend_entries(const Figure& figure);

// Rows of entries under each other, the left ends of which are in columns.
struct LegendLayout {
  std::size_t columns = 0;
  std::vector<double> widths;  // of the columns, with the gap to the next
  int height = 0;
};

// As many columns as there is room for; one at least.
LegendLayout lay_out_legend(const Canvas& canvas, const std::vector<LegendEntry>& entries,
                            double room);

// Centred in the room that begins at x.
void draw_legend(Canvas& canvas, double x, double y, double room,
                 const std::vector<LegendEntry>& entries, const LegendLayout& layout);

}  // namespace firm
