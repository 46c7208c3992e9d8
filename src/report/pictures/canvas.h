// Canvas: draws text, lines and pixels, and saves the picture as PNG or SVG. Wraps cairo.
//
// Coordinates are in pixels; the origin is the top left corner and y points down. Drawing steps are
// recorded and replayed for every file, so that letters are spaced for whole pixels in a PNG and as
// the font defines in an SVG.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace firm {

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;

  bool operator==(const Rgb&) const = default;
};

struct Point {
  double x = 0;
  double y = 0;

  bool operator==(const Point&) const = default;
};

struct TextStyle {
  enum class Align { kLeft, kCentre, kRight };

  double size = 13;  // height of the font in pixels
  bool bold = false;
  Align align = Align::kLeft;
  bool upwards = false;  // rotated by 90 degrees, reads from bottom to top
  // Longer text gets a smaller font, and if that is not enough, ends in an ellipsis. 0: no limit.
  double max_width = 0;
  Rgb colour = {30, 30, 30};
};

struct Stroke {
  double width = 1;
  Rgb colour = {30, 30, 30};
  std::vector<double> dash = {};  // lengths of dashes and gaps in turn; empty: a solid line
};

struct Marker {
  enum class Shape { kCircle, kSquare, kTriangle, kDiamond };

  Shape shape = Shape::kCircle;
  double size = 6;  // diameter of the circle; other shapes look about as large
  Rgb colour = {30, 30, 30};
  bool filled = true;  // else white with an outline
};

class Canvas {
 public:
  // The background is white.
  Canvas(int width, int height);
  ~Canvas();

  int width() const;
  int height() const;

  // (x, y) is on the middle line of the text, at its left end, centre or right end. Text between
  // "^{" and "}" is drawn as a superscript, as in "10^{-4}".
  void text(double x, double y, const std::string& text, const TextStyle& style);
  // Width of the text, ignoring max_width; a few per cent more or less in an SVG.
  double text_width(const std::string& text, const TextStyle& style) const;

  void frame(int x, int y, int width, int height, Rgb colour);
  // `pixels` row by row from the top.
  void pixels(int x, int y, int width, int height, std::span<const Rgb> pixels);
  // Draws straight lines from point to point.
  void line(std::span<const Point> points, const Stroke& stroke);
  // Fills a polygon; opacity 1 covers what is below.
  void area(std::span<const Point> corners, Rgb colour, double opacity);
  void marker(Point centre, const Marker& marker);

  // Nothing is drawn outside of the rectangle until `unclip`.
  void clip(int x, int y, int width, int height);
  void unclip();

  // Both throw firm::Error if the file cannot be written. The same drawing gives the same bytes.
  void write_png(const std::string& path) const;
  void write_svg(const std::string& path) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firm
