// Panel: one image with title and colour bar. Row 0 of the image is at the top.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firm/block.h"
#include "report/pictures/canvas.h"
#include "report/pictures/colormap.h"

namespace firm {

struct ValueRange {
  double low = 0;
  double high = 0;
};

// Range of the finite values; 0 to 0 if there are none.
ValueRange range_of(std::span<const float> values);

struct Panel {
  std::string title;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  // row by row
  std::string units = {};     // above the colour bar; "^2" and "^3" become superscripts
  // Values of the first and the last colour; values outside are clamped. Default: range_of(values).
  std::optional<ValueRange> range = {};
};

// Makes a panel from one column of a block, which must have rows * columns rows.
Panel make_panel(const std::string& title, const Block& block, std::size_t column, std::size_t rows,
                 std::size_t columns);

// Resamples the values to another grid: each target pixel is the mean of the source over its area.
std::vector<float> resample(const Panel& panel, std::size_t rows, std::size_t columns);

// Space for the title above an image and for the colour bar to its right, in pixels.
inline constexpr int kPanelTitleHeight = 26;
inline constexpr int kPanelBarWidth = 106;

// Draws title, image and colour bar. (x, y) is the top left corner of the whole panel; width and
// height are those of the image.
void draw_panel(Canvas& canvas, int x, int y, int width, int height, const Panel& panel,
                Colormap map);

}  // namespace firm
