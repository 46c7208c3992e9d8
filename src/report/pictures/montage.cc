#include "report/pictures/montage.h"

#include <algorithm>
#include <cmath>

#include "firm/error.h"

namespace firm {
namespace {

// In pixels.
constexpr int kMargin = 24;
constexpr int kTitleHeight = 36;
constexpr int kSubtitleHeight = 22;
constexpr int kRowLabelWidth = 34;
constexpr int kRowGap = 20;

int panel_height(const Montage& montage, const MontageRow& row) {
  return std::max(1, static_cast<int>(std::lround(montage.panel_width * row.height)));
}

int head_height(const Montage& montage) {
  return kTitleHeight + (montage.subtitle.empty() ? 0 : kSubtitleHeight);
}

int cell_width(const Montage& montage) { return montage.panel_width + kPanelBarWidth; }

Canvas make_canvas(const Montage& montage) {
  std::size_t columns = 0;
  int height = 2 * kMargin + head_height(montage) - kRowGap;
  for (const MontageRow& row : montage.rows) {
    columns = std::max(columns, row.panels.size());
    height += kPanelTitleHeight + panel_height(montage, row) + kRowGap;
  }
  const int width = 2 * kMargin + kRowLabelWidth + static_cast<int>(columns) * cell_width(montage);
  return {width, height};
}

}  // namespace

void write_montage(const std::string& path, const Montage& montage) {
  FIRM_CHECK(!montage.rows.empty());
  Canvas canvas = make_canvas(montage);
  const double room = canvas.width() - 2 * kMargin - kRowLabelWidth;
  canvas.text(kMargin + kRowLabelWidth, kMargin + 8, montage.title,
              {.size = 18, .bold = true, .max_width = room});
  canvas.text(kMargin + kRowLabelWidth, kMargin + 8 + kSubtitleHeight, montage.subtitle,
              {.size = 14, .max_width = room});
  int y = kMargin + head_height(montage);
  for (const MontageRow& row : montage.rows) {
    const int height = panel_height(montage, row);
    canvas.text(kMargin + 8, y + kPanelTitleHeight + height / 2.0, row.label,
                {.size = 15,
                 .bold = true,
                 .align = TextStyle::Align::kCentre,
                 .upwards = true,
                 .max_width = static_cast<double>(kPanelTitleHeight + height),
                 .colour = {90, 90, 90}});
    int x = kMargin + kRowLabelWidth;
    for (const Panel& panel : row.panels) {
      draw_panel(canvas, x, y, montage.panel_width, height, panel, row.colormap);
      x += cell_width(montage);
    }
    y += kPanelTitleHeight + height + kRowGap;
  }
  canvas.write_png(path);
}

}  // namespace firm
