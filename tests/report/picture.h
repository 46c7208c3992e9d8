// Picture: reads a PNG file, for tests.
#pragma once

#include <cairo.h>

#include <string>
#include <vector>

#include "report/pictures/canvas.h"

namespace firm {

class Picture {
 public:
  explicit Picture(const std::string& path)
      : surface_(cairo_image_surface_create_from_png(path.c_str())) {}
  ~Picture() { cairo_surface_destroy(surface_); }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  int width() const { return cairo_image_surface_get_width(surface_); }
  int height() const { return cairo_image_surface_get_height(surface_); }
  Rgb at(int x, int y) const {
    const unsigned char* p = cairo_image_surface_get_data(surface_) +
                             y * cairo_image_surface_get_stride(surface_) + 4 * x;
    return {p[2], p[1], p[0]};
  }
  // Rows that contain a colour between two columns, from the top.
  std::vector<int> rows_with(Rgb colour, int from_x, int to_x) const {
    std::vector<int> rows;
    for (int y = 0; y < height(); ++y) {
      for (int x = from_x; x < to_x; ++x) {
        if (at(x, y) == colour) {
          rows.push_back(y);
          break;
        }
      }
    }
    return rows;
  }
  int count(Rgb colour) const {
    int found = 0;
    for (int y = 0; y < height(); ++y) {
      for (int x = 0; x < width(); ++x) found += at(x, y) == colour ? 1 : 0;
    }
    return found;
  }

 private:
  cairo_surface_t* surface_;
};

}  // namespace firm
