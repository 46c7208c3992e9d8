// Canvas: a picture to draw text, lines and pixels on, saved as PNG or SVG. Wraps cairo.
//
// Coordinates are in pixels, the origin is the top left corner, y runs downwards. What is drawn is
// kept as a list and drawn anew for every file, so that letters are spaced for whole pixels in a
// PNG and as the font has them in an SVG.
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
  bool upwards = false;  // turned by 90 degrees, read from below
  // Text that is longer gets a font somewhat smaller, and if that is not enough, loses its end to
  // an ellipsis. 0: no limit.
  double max_width = 0;
  Rgb colour = {30, 30, 30};
};

struct Stroke {
  double width = 1;
  Rgb colour = {30, 30, 30};
  std::vector<double> dash = {};  // lengths drawn and left out in turn; empty: all is drawn
};

struct Marker {
  enum class Shape { kCircle, kSquare, kTriangle, kDiamond };

  Shape shape = Shape::kCircle;
  double size = 6;  // diameter of the circle; the others are about as large to the eye
  Rgb colour = {30, 30, 30};
  bool filled = true;  // otherwise white within an outline
};

class Canvas {
 public:
  // White.
  Canvas(int width, int height);
  ~Canvas();

  int width() const;
  int height() const;

  // (x, y) is on the text's middle line, at its left end, centre or right end. What is between
  // "^{" and "}" is raised, as in "10^{-4}".
  void text(double x, double y, const std::string& text, const TextStyle& style);
  // How long the text is without a limit; in an SVG a few per cent more or less.
  double text_width(const std::string& text, const TextStyle& style) const;

  void frame(int x, int y, int width, int height, Rgb colour);
  // `pixels` row by row from the top.
  void pixels(int x, int y, int width, int height, std::span<const Rgb> pixels);
  // From point to point.
  void line(std::span<const Point> points, const Stroke& stroke);
  // Fills a polygon; opacity 1 hides what is below.
  void area(std::span<const Point> corners, Rgb colour, double opacity);
  void marker(Point centre, const Marker& marker);

  // Until `unclip`, nothing shows outside of the rectangle.
  void clip(int x, int y, int width, int height);
  void unclip();

  // Both throw firm::Error when the file cannot be written. The same drawing gives the same bytes.
  void write_png(const std::string& path) const;
  void write_svg(const std::string& path) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firm
