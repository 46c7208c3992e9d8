// Canvas: a picture to draw text, lines and pixels on, saved as PNG. Wraps cairo.
//
// Coordinates are in pixels, the origin is the top left corner, y runs downwards.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace firm {

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;

  bool operator==(const Rgb&) const = default;
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

class Canvas {
 public:
  // White.
  Canvas(int width, int height);
  ~Canvas();

  int width() const;
  int height() const;

  // (x, y) is on the text's middle line, at its left end, centre or right end.
  void text(double x, double y, const std::string& text, const TextStyle& style);
  void frame(int x, int y, int width, int height, Rgb colour);
  // `pixels` row by row from the top.
  void pixels(int x, int y, int width, int height, std::span<const Rgb> pixels);

  // Throws firm::Error when the file cannot be written.
  void write_png(const std::string& path) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firm
