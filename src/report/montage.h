// Montage: several images side by side in one labelled picture.
//
// Every panel has its own range of values, shown by a colour bar. Row 0 of an image is on top.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firm/block.h"
#include "report/colormap.h"

namespace firm {

struct Panel {
  std::string title;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  // row by row
};

// One column of a block as a panel; rows * columns has to be the block's number of rows.
Panel make_panel(const std::string& title, const Block& block, std::size_t column, std::size_t rows,
                 std::size_t columns);

struct MontageRow {
  std::string label;
  Colormap colormap = Colormap::kViridis;
  // Height of its panels as a part of their width. Images are stretched to fill their panel, so an
  // image wants rows / columns.
  double height = 1;
  std::vector<Panel> panels;
};

struct Montage {
  std::string title;
  std::vector<MontageRow> rows;
  int panel_width = 280;  // pixels
};

void write_montage(const std::string& path, const Montage& montage);

// The panel's values on another grid: each target pixel is the mean of the source over its area.
std::vector<float> resample(const Panel& panel, std::size_t rows, std::size_t columns);

}  // namespace firm
