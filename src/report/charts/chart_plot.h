// Draws one chart of a figure: its frame, ticks and curves.
#pragma once

#include <vector>

#include "report/charts/chart_line.h"

namespace firm {

// The inside of a chart's frame, in pixels.
struct PlotArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// Height of the tick labels below the frame, in pixels.
inline constexpr int kTickLabelHeight = 24;

// Ranges and ticks of a chart that do not depend on its width.
struct PlotRange {
  ValueRange x;
  ValueRange y;
  std::vector<Tick> y_ticks;
};

PlotRange plot_range(const Chart& chart, int plot_height);

// Width of the tick labels left of the frame, in pixels.
int tick_label_width(const Canvas& canvas, const PlotRange& range);

// Draws everything but the title and the labels of the axes.
void draw_plot(Canvas& canvas, const PlotArea& area, const Chart& chart, const PlotRange& range);

}  // namespace firm
