#include "report/montage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "firm/error.h"

namespace firm {
namespace {

// In pixels.
constexpr int kMargin = 24;
constexpr int kTitleHeight = 36;
constexpr int kRowLabelWidth = 34;
constexpr int kPanelTitleHeight = 26;
constexpr int kBarGap = 8;
constexpr int kBarWidth = 12;
constexpr int kBarLabelWidth = 86;
constexpr int kRowGap = 20;
constexpr Rgb kFrame = {120, 120, 120};

struct Range {
  double low = 0;
  double high = 0;
};

Range range_of(const std::vector<float>& values) {
  Range r{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const float v : values) {
    if (!std::isfinite(v)) continue;
    r.low = std::min(r.low, static_cast<double>(v));
    r.high = std::max(r.high, static_cast<double>(v));
  }
  return r.low <= r.high ? r : Range{};
}

// Which source pixels a target pixel covers, and how much of each.
struct Cover {
  std::size_t first = 0;
  std::vector<double> weights;  // sum 1
};

std::vector<Cover> covers(std::size_t source, std::size_t target) {
  const double scale = static_cast<double>(source) / static_cast<double>(target);
  std::vector<Cover> all;
  for (std::size_t t = 0; t < target; ++t) {
    const double begin = static_cast<double>(t) * scale;
    const double end = begin + scale;
    Cover cover;
    cover.first = std::min(static_cast<std::size_t>(begin), source - 1);
    for (std::size_t s = cover.first; s < source; ++s) {
      const double left = std::max(begin, static_cast<double>(s));
      const double right = std::min(end, static_cast<double>(s + 1));
      if (right <= left && !cover.weights.empty()) break;
      cover.weights.push_back(std::max(right - left, 0.0) / scale);
    }
    all.push_back(std::move(cover));
  }
  return all;
}

std::vector<Rgb> coloured(const std::vector<float>& values, Range range, Colormap map) {
  const double span = range.high > range.low ? range.high - range.low : 1;
  std::vector<Rgb> colours;
  colours.reserve(values.size());
  for (const float v : values) {
    colours.push_back(colour_of(map, (static_cast<double>(v) - range.low) / span));
  }
  return colours;
}

void draw_bar(Canvas& canvas, int x, int y, int height, Range range, Colormap map) {
  std::vector<Rgb> colours;
  for (int row = 0; row < height; ++row) {
    colours.insert(colours.end(), kBarWidth, colour_of(map, 1 - (row + 0.5) / height));
  }
  canvas.pixels(x, y, kBarWidth, height, colours);
  canvas.frame(x, y, kBarWidth, height, kFrame);
  const TextStyle style{.size = 12};
  const int label_x = x + kBarWidth + 6;
  canvas.text(label_x, y + 5, fmt::format("{:.3g}", range.high), style);
  canvas.text(label_x, y + height / 2, fmt::format("{:.3g}", (range.low + range.high) / 2), style);
  canvas.text(label_x, y + height - 5, fmt::format("{:.3g}", range.low), style);
}

void draw_panel(Canvas& canvas, int x, int y, int width, int height, const Panel& panel,
                Colormap map) {
  FIRM_CHECK(panel.values.size() == panel.rows * panel.columns && !panel.values.empty());
  canvas.text(x + width / 2, y + kPanelTitleHeight / 2, panel.title,
              {.size = 14, .bold = true, .align = TextStyle::Align::kCentre});
  const int top = y + kPanelTitleHeight;
  const Range range = range_of(panel.values);
  const std::vector<float> values =
      resample(panel, static_cast<std::size_t>(height), static_cast<std::size_t>(width));
  canvas.pixels(x, top, width, height, coloured(values, range, map));
  canvas.frame(x, top, width, height, kFrame);
  draw_bar(canvas, x + width + kBarGap, top, height, range, map);
}

int panel_height(const Montage& montage, const MontageRow& row) {
  return std::max(1, static_cast<int>(std::lround(montage.panel_width * row.height)));
}

int cell_width(const Montage& montage) {
  return montage.panel_width + kBarGap + kBarWidth + kBarLabelWidth;
}

Canvas make_canvas(const Montage& montage) {
  std::size_t columns = 0;
  int height = 2 * kMargin + kTitleHeight - kRowGap;
  for (const MontageRow& row : montage.rows) {
    columns = std::max(columns, row.panels.size());
    height += kPanelTitleHeight + panel_height(montage, row) + kRowGap;
  }
  const int width = 2 * kMargin + kRowLabelWidth + static_cast<int>(columns) * cell_width(montage);
  return {width, height};
}

}  // namespace

Panel make_panel(const std::string& title, const Block& block, std::size_t column, std::size_t rows,
                 std::size_t columns) {
  FIRM_CHECK(block.rows() == rows * columns && column < block.columns());
  Panel panel{title, rows, columns, std::vector<float>(block.rows())};
  for (std::size_t k = 0; k < block.rows(); ++k) panel.values[k] = block(k, column);
  return panel;
}

std::vector<float> resample(const Panel& panel, std::size_t rows, std::size_t columns) {
  const std::vector<Cover> vertical = covers(panel.rows, rows);
  const std::vector<Cover> horizontal = covers(panel.columns, columns);
  std::vector<float> result;
  result.reserve(rows * columns);
  for (const Cover& v : vertical) {
    for (const Cover& h : horizontal) {
      double mean = 0;
      for (std::size_t i = 0; i < v.weights.size(); ++i) {
        const float* row = panel.values.data() + (v.first + i) * panel.columns + h.first;
        for (std::size_t j = 0; j < h.weights.size(); ++j) {
          mean += v.weights[i] * h.weights[j] * static_cast<double>(row[j]);
        }
      }
      result.push_back(static_cast<float>(mean));
    }
  }
  return result;
}

void write_montage(const std::string& path, const Montage& montage) {
  FIRM_CHECK(!montage.rows.empty());
  Canvas canvas = make_canvas(montage);
  canvas.text(kMargin + kRowLabelWidth, kMargin + 8, montage.title, {.size = 18, .bold = true});
  int y = kMargin + kTitleHeight;
  for (const MontageRow& row : montage.rows) {
    const int height = panel_height(montage, row);
    canvas.text(kMargin + 8, y + kPanelTitleHeight + height / 2.0, row.label,
                {.size = 15,
                 .bold = true,
                 .align = TextStyle::Align::kCentre,
                 .upwards = true,
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
