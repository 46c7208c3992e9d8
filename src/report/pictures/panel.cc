#include "report/pictures/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "firm/error.h"

namespace firm {
namespace {

// In pixels; gaps, bar and labels add up to kPanelBarWidth.
constexpr int kBarGap = 8;
constexpr int kBarWidth = 12;
constexpr int kBarLabelGap = 6;
constexpr int kBarLabelWidth = kPanelBarWidth - kBarGap - kBarWidth - kBarLabelGap;
constexpr Rgb kFrame = {120, 120, 120};

// Source pixels that a target pixel covers, and the share of each.
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

std::vector<Rgb> coloured(const std::vector<float>& values, ValueRange range, Colormap map) {
  const double span = range.high - range.low;
  // An image with a single value gets the colour of zero.
  const double flat = map == Colormap::kDiverging ? 0.5 : 0;
  std::vector<Rgb> colours;
  colours.reserve(values.size());
  for (const float v : values) {
    const double above = static_cast<double>(v) - range.low;
    const bool uniform = !(span > 0) && !std::isnan(above);
    colours.push_back(colour_of(map, uniform ? flat : above / span));
  }
  return colours;
}

std::string with_superscripts(std::string units) {
  for (const auto& [plain, sign] : {std::pair{"^2", "\u00b2"}, std::pair{"^3", "\u00b3"}}) {
    for (std::size_t at = units.find(plain); at != std::string::npos; at = units.find(plain)) {
      units.replace(at, 2, sign);
    }
  }
  return units;
}

// Avoids labels such as "-1.2e-17" where the middle of the range should be zero.
std::string label(double value, ValueRange range) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  return fmt::format("{:.3g}", std::abs(value) < 1e-9 * largest ? 0 : value);
}

void draw_bar(Canvas& canvas, int x, int y, int height, ValueRange range, Colormap map) {
  std::vector<Rgb> colours;
  for (int row = 0; row < height; ++row) {
    colours.insert(colours.end(), kBarWidth, colour_of(map, 1 - (row + 0.5) / height));
  }
  canvas.pixels(x, y, kBarWidth, height, colours);
  canvas.frame(x, y, kBarWidth, height, kFrame);
  const TextStyle style{.size = 12, .max_width = kBarLabelWidth};
  const int label_x = x + kBarWidth + kBarLabelGap;
  canvas.text(label_x, y + 5, label(range.high, range), style);
  canvas.text(label_x, y + height / 2, label((range.low + range.high) / 2, range), style);
  canvas.text(label_x, y + height - 5, label(range.low, range), style);
}

}  // namespace

ValueRange range_of(std::span<const float> values) {
  ValueRange r{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const float v : values) {
    if (!std::isfinite(v)) continue;
    r.low = std::min(r.low, static_cast<double>(v));
    r.high = std::max(r.high, static_cast<double>(v));
  }
  return r.low <= r.high ? r : ValueRange{};
}

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

void draw_panel(Canvas& canvas, int x, int y, int width, int height, const Panel& panel,
                Colormap map) {
  FIRM_CHECK(panel.values.size() == panel.rows * panel.columns && !panel.values.empty());
  const double title_y = y + kPanelTitleHeight / 2.0;
  canvas.text(x + width / 2, title_y, panel.title,
              {.size = 14,
               .bold = true,
               .align = TextStyle::Align::kCentre,
               .max_width = static_cast<double>(width)});
  const int top = y + kPanelTitleHeight;
  const ValueRange range = panel.range ? *panel.range : range_of(panel.values);
  const std::vector<float> values =
      resample(panel, static_cast<std::size_t>(height), static_cast<std::size_t>(width));
  canvas.pixels(x, top, width, height, coloured(values, range, map));
  canvas.frame(x, top, width, height, kFrame);
  const int bar_x = x + width + kBarGap;
  draw_bar(canvas, bar_x, top, height, range, map);
  canvas.text(bar_x, title_y, with_superscripts(panel.units),
              {.size = 12, .max_width = kPanelBarWidth - kBarGap});
}

}  // namespace firm
