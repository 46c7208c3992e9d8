// Panel: one image with its title, drawn with a colour bar. Row 0 of an image is on top.
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

// From the smallest to the largest of the finite values; 0 to 0 when there are none.
ValueRange range_of(std::span<const float> values);

struct Panel {
  std::string title;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  // row by row
  std::string units = {};     // written above the colour bar; "^2" and "^3" are raised
  // The values of the first and the last colour, which those beyond have, too. Without it, the
  // range of the values.
  std::optional<ValueRange> range = {};
};

// One column of a block as a panel; rows * columns has to be the block's number of rows.
Panel make_panel(const std::string& title, const Block& block, std::size_t column, std::size_t rows,
                 std::size_t columns);

// The panel's values on another grid: each target pixel is the mean of the source over its area.
std::vector<float> resample(const Panel& panel, std::size_t rows, std::size_t columns);

// In pixels: the title above an image, and what is right of it.
inline constexpr int kPanelTitleHeight = 26;
inline constexpr int kPanelBarWidth = 106;

// Draws title, image and colour bar; (x, y) is the top left corner of it all, and width and height
// are those of the image alone.
void draw_panel(Canvas& canvas, int x, int y, int width, int height, const Panel& panel,
                Colormap map);

}  // namespace firm
