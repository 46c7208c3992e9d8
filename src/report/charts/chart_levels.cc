#include "report/charts/chart_levels.h"

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

bool is_shown(const Level& level, const Scale& scale) {
  return level.y >= scale.range().low && level.y <= scale.range().high;
}

double line_of(const Level& level, const Scales& scales) {
  return std::floor(scales.y.pixel(level.y)) + 0.5;
}

// Points along a line, near enough to each other to be found in a box.
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
  for (const Level& level : chart.levels) {
    if (!is_shown(level, scales.y)) continue;
    const double y = line_of(level, scales);
    add_ink(ink, {{frame.left, y}, {frame.right, y}}, frame);
  }
  return ink;
}

// Where a label of this width may be, best places first.
std::vector<Box> places(double line, double width, const Box& frame) {
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

void draw_level_lines(Canvas& canvas, const Chart& chart, const Scales& scales) {
  for (const Level& level : chart.levels) {
    if (!is_shown(level, scales.y)) continue;
    const double y = line_of(level, scales);
    canvas.line(std::array{Point{scales.left(), y}, Point{scales.right(), y}},
                {.width = 1.2, .colour = kGrey, .dash = {5, 3}});
  }
}

void draw_level_labels(Canvas& canvas, const Chart& chart, const Scales& scales) {
  const Box frame = {scales.left(), scales.top(), scales.right(), scales.bottom()};
  const double room = frame.right - frame.left - 2 * kToFrame;
  const Polyline ink = ink_of(chart, scales, frame);
  std::vector<Box> taken;
  for (const Level& level : chart.levels) {
    if (level.label.empty() || !is_shown(level, scales.y)) continue;
    const double width = std::min(canvas.text_width(level.label, kLabel), room);
    Box best;
    double least = 1e9;
    for (const Box& place : places(line_of(level, scales), width, frame)) {
      const double c = cost(place, ink, taken, frame);
      if (c >= least) continue;
      least = c;
      best = place;
    }
    taken.push_back(best);
    draw_label(canvas, best, level.label, room);
  }
}

}  // namespace firm
