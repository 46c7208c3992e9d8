// Montage: several images side by side in one labelled picture. Every image has its own colour bar.
#pragma once

#include <string>
#include <vector>

#include "report/pictures/panel.h"

namespace firm {

struct MontageRow {
  std::string label;
  Colormap colormap = Colormap::kViridis;
  // Height of the panels divided by their width. Images are stretched to fill their panel; to keep
  // square pixels, use rows / columns.
  double height = 1;
  std::vector<Panel> panels;
};

struct Montage {
  std::string title;
  std::vector<MontageRow> rows;
  int panel_width = 280;      // pixels
  std::string subtitle = {};  // on a line of its own below the title; empty: none
};

void write_montage(const std::string& path, const Montage& montage);

}  // namespace firm
