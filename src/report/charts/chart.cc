#include "report/charts/chart.h"

#include <algorithm>

#include "firm/error.h"
#include "report/charts/chart_legend.h"
#include "report/charts/chart_plot.h"

namespace firm {
namespace {

// In pixels.
constexpr int kMargin = 14;
constexpr int kTitleHeight = 32;
constexpr int kLegendGap = 6;
constexpr int kColumnGap = 14;
constexpr int kRowGap = 12;
constexpr int kChartTitleHeight = 24;
constexpr int kAxisLabelHeight = 20;
constexpr int kAxisLabelWidth = 22;  // for the rotated label of the y axis
constexpr int kSpare = 8;            // above a frame without title, and to its right
constexpr int kSmallestChart = 120;

struct Cell {
  int label_width = 0;  // width of the tick labels of the y axis
  PlotArea area = {};
  PlotRange range = {};
};

// Positions of all parts. Frames are aligned in rows and columns.
struct Layout {
  int width = 0;
  int height = 0;
  int legend_y = 0;
  std::vector<LegendEntry> entries;
  LegendLayout legend;
  std::vector<Cell> cells;  // one per chart
};

int inner_width(const Layout& layout) { return layout.width - 2 * kMargin; }

// Space around the frame of every chart.
struct Padding {
  int above = kSpare;
  int below = kTickLabelHeight;
  int left = 0;  // without the tick labels of the y axis
};

Padding padding_of(const Figure& figure) {
  Padding room;
  for (const Chart& chart : figure.charts) {
    if (!chart.title.empty()) room.above = kChartTitleHeight;
    if (!chart.x.label.empty()) room.below = kTickLabelHeight + kAxisLabelHeight;
    if (!chart.y.label.empty()) room.left = kAxisLabelWidth;
  }
  return room;
}

// Positions of the charts; `top` is the y coordinate of the first row.
std::vector<Cell> make_cells(const Figure& figure, std::size_t columns, int top) {
  const Canvas ruler(1, 1);
  const Padding room = padding_of(figure);
  const int height = figure.chart_height - room.above - room.below;
  std::vector<int> left(columns, 0);  // of the frame in its chart
  std::vector<Cell> cells;
  for (std::size_t k = 0; k < figure.charts.size(); ++k) {
    cells.push_back({.range = plot_range(figure.charts[k], height)});
    cells[k].label_width = tick_label_width(ruler, cells[k].range);
    const int wanted = room.left + cells[k].label_width;
    left[k % columns] = std::clamp(wanted, left[k % columns], figure.chart_width / 2);
  }
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const int inset = left[k % columns];
    const int column = static_cast<int>(k % columns);
    const int row = static_cast<int>(k / columns);
    cells[k].area = {.x = kMargin + column * (figure.chart_width + kColumnGap) + inset,
                     .y = top + row * (figure.chart_height + kRowGap) + room.above,
                     .width = figure.chart_width - inset - kSpare,
                     .height = height};
  }
  return cells;
}

Layout lay_out(const Figure& figure) {
  const std::size_t columns = std::min(figure.columns, figure.charts.size());
  const int rows = static_cast<int>((figure.charts.size() + columns - 1) / columns);
  Layout layout;
  layout.width =
      2 * kMargin - kColumnGap + static_cast<int>(columns) * (figure.chart_width + kColumnGap);
  layout.legend_y = kMargin + (figure.title.empty() ? 0 : kTitleHeight);
  layout.entries = legend_entries(figure);
  layout.legend = lay_out_legend(Canvas(1, 1), layout.entries, inner_width(layout));
  const int top =
      layout.legend_y + (layout.entries.empty() ? 0 : layout.legend.height + kLegendGap);
  layout.height = top + rows * (figure.chart_height + kRowGap) - kRowGap + kMargin;
  layout.cells = make_cells(figure, columns, top);
  return layout;
}

void draw_labels(Canvas& canvas, const Cell& cell, const Chart& chart) {
  const PlotArea& area = cell.area;
  const double middle = area.x + area.width / 2.0;
  const double bottom = area.y + area.height;
  const double width = area.width;
  const double height = area.height;
  constexpr auto kCentre = TextStyle::Align::kCentre;
  canvas.text(middle, area.y - kChartTitleHeight / 2.0, chart.title,
              {.size = 14, .bold = true, .align = kCentre, .max_width = width});
  canvas.text(middle, bottom + kTickLabelHeight + kAxisLabelHeight / 2.0, chart.x.label,
              {.size = 13, .align = kCentre, .max_width = width});
  canvas.text(area.x - cell.label_width - kAxisLabelWidth / 2.0 - 2, area.y + height / 2,
              chart.y.label, {.size = 13, .align = kCentre, .upwards = true, .max_width = height});
}

void draw_figure(Canvas& canvas, const Figure& figure, const Layout& layout) {
  canvas.text(layout.width / 2.0, kMargin + kTitleHeight / 2.0 - 4, figure.title,
              {.size = 17,
               .bold = true,
               .align = TextStyle::Align::kCentre,
               .max_width = static_cast<double>(inner_width(layout))});
  draw_legend(canvas, kMargin, layout.legend_y, inner_width(layout), layout.entries, layout.legend);
  for (std::size_t k = 0; k < figure.charts.size(); ++k) {
    const Cell& cell = layout.cells[k];
    draw_plot(canvas, cell.area, figure.charts[k], cell.range);
    draw_labels(canvas, cell, figure.charts[k]);
  }
}

void check(const Figure& figure) {
  FIRM_CHECK(!figure.charts.empty() && figure.columns > 0);
  FIRM_CHECK(figure.chart_width >= kSmallestChart && figure.chart_height >= kSmallestChart);
  for (const Chart& chart : figure.charts) {
    for (const Series& s : chart.series) {
      FIRM_CHECK(s.x.size() == s.y.size() && s.low.size() == s.high.size());
      FIRM_CHECK(s.low.empty() || s.low.size() == s.x.size());
    }
  }
}

}  // namespace

void write_figure(const std::string& path, const Figure& figure) {
  check(figure);
  const bool svg = path.ends_with(".svg");
  if (!svg && !path.ends_with(".png")) {
    throw usage_error({path, "", "a name that ends in .svg or .png", "another"});
  }
  const Figure shown = with_shared_styles(figure);
  const Layout layout = lay_out(shown);
  Canvas canvas(layout.width, layout.height);
  draw_figure(canvas, shown, layout);
  if (svg) {
    canvas.write_svg(path);
  } else {
    canvas.write_png(path);
  }
}

}  // namespace firm
