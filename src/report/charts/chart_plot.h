// One chart of a figure: its frame, the ticks around it and the curves in it.
#pragma once

#include <vector>

#include "report/charts/chart_line.h"

namespace firm {

// In pixels: the inside of a chart's frame.
struct PlotArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// Room below the frame for the numbers of the x axis, in pixels.
inline constexpr int kTickLabelHeight = 24;

// What a chart shows, as far as it can be said before its width is known.
struct PlotRange {
  ValueRange x;
  ValueRange y;
  std::vector<Tick> y_ticks;
};

PlotRange plot_range(const Chart& chart, int plot_height);

// Room left of the frame for the numbers of the y axis, in pixels.
int tick_label_width(const Canvas& canvas, const PlotRange& range);

// Draws everything but the title and the labels of the axes.
void draw_plot(Canvas& canvas, const PlotArea& area, const Chart& chart, const PlotRange& range);

}  // namespace firm
