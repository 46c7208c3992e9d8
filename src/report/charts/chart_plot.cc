#include "report/charts/chart_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/charts/chart_legend.h"
#include "report/charts/chart_reference_lines.h"

namespace firm {
namespace {

// In pixels.
constexpr int kTickLength = 5;
constexpr int kSmallTickLength = 3;
constexpr int kTickGap = 4;         // between a tick and its label
constexpr double kLabelGap = 12;    // between labels of the x axis
constexpr int kYTickDistance = 28;  // smallest distance
constexpr int kMostTicks = 9;
constexpr double kDotSize = 3;
constexpr Rgb kFrame = {90, 90, 90};
constexpr Rgb kGrid = {228, 228, 228};
constexpr TextStyle kNumbers = {.size = 12};

// Adds the values whose partner on the other axis can be drawn.
void add_drawn(std::vector<double>& all, const std::vector<double>& values,
               const std::vector<double>& partners, bool partners_log) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (drawable(partners[k], partners_log)) all.push_back(values[k]);
  }
}

std::vector<Tick> ticks_of(ValueRange range, bool log, int most) {
  return log ? log_ticks(range, most) : linear_ticks(range, most);
}

// Whether labels below the frame would not touch.
bool has_room(const Canvas& canvas, const std::vector<Tick>& ticks, const Scale& scale) {
  double end = -1e6;
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    const double half = canvas.text_width(tick.label, kNumbers) / 2;
    const double middle = scale.pixel(tick.value);
    if (middle - half < end + kLabelGap) return false;
    end = middle + half;
  }
  return true;
}

std::vector<Tick> x_ticks(const Canvas& canvas, const Scale& scale) {
  for (int most = kMostTicks;; --most) {
    std::vector<Tick> ticks = ticks_of(scale.range(), scale.log(), most);
    if (most == 2 || has_room(canvas, ticks, scale)) return ticks;
  }
}

// The middle of a pixel, where a line is sharp.
double sharp(double pixel) { return std::floor(pixel) + 0.5; }

int length_of(const Tick& tick) { return tick.label.empty() ? kSmallTickLength : kTickLength; }

void draw_x_axis(Canvas& canvas, const PlotArea& area, const Scale& scale) {
  const double bottom = area.y + area.height;
  TextStyle style = kNumbers;
  style.align = TextStyle::Align::kCentre;
  for (const Tick& tick : x_ticks(canvas, scale)) {
    const double x = sharp(scale.pixel(tick.value));
    canvas.line(std::array{Point{x, bottom}, Point{x, bottom + 1 + length_of(tick)}},
                {.colour = kFrame});
    if (tick.label.empty()) continue;
    canvas.line(std::array{Point{x, double(area.y)}, Point{x, bottom}}, {.colour = kGrid});
    // Keeps a long label within the picture.
    const double half = canvas.text_width(tick.label, kNumbers) / 2 + 2;
    canvas.text(std::min(x, canvas.width() - half), bottom + 16, tick.label, style);
  }
}

void draw_y_axis(Canvas& canvas, const PlotArea& area, const std::vector<Tick>& ticks,
                 const Scale& scale) {
  const double left = area.x;
  TextStyle style = kNumbers;
  style.align = TextStyle::Align::kRight;
  for (const Tick& tick : ticks) {
    const double y = sharp(scale.pixel(tick.value));
    canvas.line(std::array{Point{left - 1 - length_of(tick), y}, Point{left, y}},
                {.colour = kFrame});
    if (tick.label.empty()) continue;
    canvas.line(std::array{Point{left, y}, Point{left + area.width, y}}, {.colour = kGrid});
    canvas.text(left - 1 - kTickLength - kTickGap, y, tick.label, style);
  }
}

void draw_bands(Canvas& canvas, const Chart& chart, const Scales& scales) {
  for (const Series& series : chart.series) {
    for (const Polyline& piece : band_pieces(series, scales)) {
      canvas.area(piece, series_style(series.style).stroke.colour, kBandOpacity);
    }
  }
}

void draw_lines(Canvas& canvas, const Chart& chart, const Scales& scales) {
  for (const Series& series : chart.series) {
    if (!series.line) continue;
    const Stroke stroke = series_style(series.style).stroke;
    for (const Polyline& piece : line_pieces(series, scales)) {
      if (piece.size() > 1) {
        canvas.line(piece, stroke);
      } else {
        canvas.marker(piece.front(), {.size = kDotSize, .colour = stroke.colour});
      }
    }
  }
}

void draw_markers(Canvas& canvas, const Chart& chart, const Scales& scales) {
  for (const Series& series : chart.series) {
    if (!series.markers) continue;
    const Marker marker = series_style(series.style).marker;
    for (const Point& p : marker_points(series, scales)) canvas.marker(p, marker);
  }
}

}  // namespace

PlotRange plot_range(const Chart& chart, int plot_height) {
  std::vector<double> x;
  std::vector<double> y;
  for (const Series& s : chart.series) {
    add_drawn(x, s.x, s.y, chart.y.log);
    add_drawn(y, s.y, s.x, chart.x.log);
    add_drawn(y, s.low, s.x, chart.x.log);
    add_drawn(y, s.high, s.x, chart.x.log);
  }
  for (const ReferenceLine& line : chart.reference_lines) y.push_back(line.y);
  PlotRange range{shown_range(chart.x, x), shown_range(chart.y, y), {}};
  const int most = std::clamp(plot_height / kYTickDistance, 2, kMostTicks);
  range.y_ticks = ticks_of(range.y, chart.y.log, most);
  return range;
}

int tick_label_width(const Canvas& canvas, const PlotRange& range) {
  double width = 0;
  for (const Tick& tick : range.y_ticks) {
    width = std::max(width, canvas.text_width(tick.label, kNumbers));
  }
  return static_cast<int>(std::ceil(width)) + kTickLength + kTickGap + 1;
}

void draw_plot(Canvas& canvas, const PlotArea& area, const Chart& chart, const PlotRange& range) {
  const Scales scales = {Scale(range.x, chart.x.log, area.x, area.x + area.width),
                         Scale(range.y, chart.y.log, area.y + area.height, area.y)};
  draw_x_axis(canvas, area, scales.x);
  draw_y_axis(canvas, area, range.y_ticks, scales.y);
  canvas.clip(area.x, area.y, area.width, area.height);
  draw_bands(canvas, chart, scales);
  draw_reference_lines(canvas, chart, scales);
  draw_lines(canvas, chart, scales);
  canvas.unclip();
  canvas.frame(area.x, area.y, area.width, area.height, kFrame);
  draw_markers(canvas, chart, scales);
  draw_reference_labels(canvas, chart, scales);
}

}  // namespace firm
