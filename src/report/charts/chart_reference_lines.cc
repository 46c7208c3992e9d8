#include "report/charts/chart_reference_lines.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace firm {
namespace {

// In pixels.
constexpr double kLabelHeight = 14;
constexpr double kToFrame = 4;
constexpr double kToLine = 2;
constexpr double kInkStep = 3;
constexpr Rgb kGrey = {110, 110, 110};
constexpr TextStyle kLabel = {.size = 11.5, .colour = {80, 80, 80}};

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  bool contains(const Point& p) const {
    return p.x > left && p.x < right && p.y > top && p.y < bottom;
  }
  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

bool is_visible(const ReferenceLine& line, const Scale& scale) {
  return line.y >= scale.range().low && line.y <= scale.range().high;
}

double pixel_of(const ReferenceLine& line, const Scales& scales) {
  return std::floor(scales.y.pixel(line.y)) + 0.5;
}

// Adds points along a line, dense enough to find out whether a box covers the line.
void add_ink(Polyline& ink, const Polyline& line, const Box& frame) {
  for (std::size_t k = 0; k < line.size(); ++k) {
    const Point& a = line[k];
    const Point& b = line[std::min(k + 1, line.size() - 1)];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const double steps = std::clamp(std::ceil(length / kInkStep), 1.0, 1000.0);
    for (double step = 0; step < steps; ++step) {
      const Point p{a.x + (b.x - a.x) * step / steps, a.y + (b.y - a.y) * step / steps};
      if (frame.contains(p)) ink.push_back(p);
    }
  }
}

Polyline ink_of(const Chart& chart, const Scales& scales, const Box& frame) {
  Polyline ink;
  for (const Series& series : chart.series) {
    if (series.markers) add_ink(ink, marker_points(series, scales), frame);
    if (!series.line) continue;
    for (const Polyline& piece : line_pieces(series, scales)) add_ink(ink, piece, frame);
  }
  for (const ReferenceLine& line : chart.reference_lines) {
    if (!is_visible(line, scales.y)) continue;
    const double y = pixel_of(line, scales);
    add_ink(ink, {{frame.left, y}, {frame.right, y}}, frame);
  }
  return ink;
}

// Possible positions of a label, the preferred ones first.
std::vector<Box> label_boxes(double line, double width, const Box& frame) {
  const double above = line - kToLine - kLabelHeight;
  const double below = line + kToLine;
  const double right = frame.right - kToFrame - width;
  const double left = frame.left + kToFrame;
  std::vector<Box> all;
  for (const double x : {right, left, (left + right) / 2}) {
    for (const double y : {above, below}) all.push_back({x, y, x + width, y + kLabelHeight});
  }
  return all;
}

double cost(const Box& box, const Polyline& ink, const std::vector<Box>& taken, const Box& frame) {
  double cost = box.top < frame.top || box.bottom > frame.bottom ? 1e6 : 0;
  for (const Box& other : taken) cost += box.overlaps(other) ? 1e4 : 0;
  for (const Point& p : ink) cost += box.contains(p) ? 1 : 0;
  return cost;
}

void draw_label(Canvas& canvas, const Box& box, const std::string& label, double room) {
  const std::array corners = {Point{box.left - 2, box.top}, Point{box.right + 2, box.top},
                              Point{box.right + 2, box.bottom}, Point{box.left - 2, box.bottom}};
  canvas.area(corners, {255, 255, 255}, 0.8);
  TextStyle style = kLabel;
  style.max_width = room;
  canvas.text(box.left, (box.top + box.bottom) / 2, label, style);
}

}  // namespace

void draw_reference_lines(Canvas& canvas, const Chart& chart, const Scales& scales) {
  for (const ReferenceLine& line : chart.reference_lines) {
    if (!is_visible(line, scales.y)) continue;
    const double y = pixel_of(line, scales);
    canvas.line(std::array{Point{scales.left(), y}, Point{scales.right(), y}},
                {.width = 1.2, .colour = kGrey, .dash = {5, 3}});
  }
}

void draw_reference_labels(Canvas& canvas, const Chart& chart, const Scales& scales) {
  const Box frame = {scales.left(), scales.top(), scales.right(), scales.bottom()};
  const double room = frame.right - frame.left - 2 * kToFrame;
  const Polyline ink = ink_of(chart, scales, frame);
  std::vector<Box> taken;
  for (const ReferenceLine& line : chart.reference_lines) {
    if (line.label.empty() || !is_visible(line, scales.y)) continue;
    const double width = std::min(canvas.text_width(line.label, kLabel), room);
    Box best;
    double least = 1e9;
    for (const Box& box : label_boxes(pixel_of(line, scales), width, frame)) {
      const double c = cost(box, ink, taken, frame);
      if (c >= least) continue;
      least = c;
      best = box;
    }
    taken.push_back(best);
    draw_label(canvas, best, line.label, room);
  }
}

}  // namespace firm
