#include "report/charts/chart_legend.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace firm {
namespace {

// In pixels.
constexpr double kSampleWidth = 34;
constexpr double kSampleGap = 7;
constexpr double kEntryGap = 24;
constexpr int kRowHeight = 20;
constexpr int kBandHeight = 12;
constexpr double kLineWidth = 1.8;
constexpr double kMarkerSize = 6;

// Okabe and Ito (2008), jfly.uni-koeln.de/color, without the yellow, which is hard to see on white;
// the last is from the "muted" set of P. Tol (2021), personal.sron.nl/~pault.
constexpr std::array<Rgb, 8> kColours = {{{0x00, 0x72, 0xb2},
                                          {0xd5, 0x5e, 0x00},
                                          {0x00, 0x9e, 0x73},
                                          {0xcc, 0x79, 0xa7},
                                          {0x00, 0x00, 0x00},
                                          {0xe6, 0x9f, 0x00},
                                          {0x56, 0xb4, 0xe9},
                                          {0x88, 0x22, 0x55}}};

std::vector<double> dash_of(std::size_t style) {
  static const std::array<std::vector<double>, 8> kDashes = {{{},
                                                              {7, 3},
                                                              {8, 2.5, 2, 2.5},
                                                              {2, 2},
                                                              {12, 3},
                                                              {8, 2.5, 2, 2.5, 2, 2.5},
                                                              {4, 2},
                                                              {12, 3, 4, 3}}};
  return kDashes.at(style);
}

TextStyle text_style(double room) { return {.size = 13, .max_width = room}; }

double entry_width(const Canvas& canvas, const LegendEntry& entry) {
  return kSampleWidth + kSampleGap + canvas.text_width(entry.label, text_style(0)) + kEntryGap;
}

double total(const std::vector<double>& widths) {
  return std::accumulate(widths.begin(), widths.end(), -kEntryGap);
}

void draw_sample(Canvas& canvas, double x, double y, const LegendEntry& entry) {
  const SeriesStyle style = series_style(entry.style);
  const double end = x + kSampleWidth;
  if (entry.band) {
    const double half = kBandHeight / 2.0;
    const std::array corners = {Point{x, y - half}, Point{end, y - half}, Point{end, y + half},
                                Point{x, y + half}};
    canvas.area(corners, style.stroke.colour, kBandOpacity);
  }
  if (entry.line) canvas.line(std::array{Point{x, y}, Point{end, y}}, style.stroke);
  if (entry.markers) canvas.marker({x + kSampleWidth / 2, y}, style.marker);
}

}  // namespace

SeriesStyle series_style(int style) {
  constexpr int kCount = static_cast<int>(kColours.size());
  const auto k = static_cast<std::size_t>((style % kCount + kCount) % kCount);
  const auto shape = static_cast<Marker::Shape>(k % 4);
  return {
      .stroke = {.width = kLineWidth, .colour = kColours.at(k), .dash = dash_of(k)},
      .marker = {.shape = shape, .size = kMarkerSize, .colour = kColours.at(k), .filled = k < 4}};
}

Figure with_shared_styles(Figure figure) {
  std::map<std::string, int> styles;
  for (Chart& chart : figure.charts) {
    for (Series& series : chart.series) {
      if (series.label.empty()) continue;
      series.style = styles.try_emplace(series.label, series.style).first->second;
    }
  }
  return figure;
}

std::vector<LegendEntry> legend_entries(const Figure& figure) {
  std::vector<LegendEntry> entries;
  for (const Chart& chart : figure.charts) {
    for (const Series& series : chart.series) {
      if (series.label.empty()) continue;
      auto entry = std::find_if(entries.begin(), entries.end(),
                                [&](const LegendEntry& e) { return e.label == series.label; });
      if (entry == entries.end()) {
        entry = entries.insert(entry, {.label = series.label, .style = series.style});
      }
      entry->line |= series.line;
      entry->markers |= series.markers;
      entry->band |= !series.low.empty();
    }
  }
  return entries;
}

LegendLayout lay_out_legend(const Canvas& canvas, const std::vector<LegendEntry>& entries,
                            double room) {
  if (entries.empty()) return {};
  for (std::size_t columns = entries.size();; --columns) {
    std::vector<double> widths(columns, 0);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      double& width = widths[k % columns];
      width = std::max(width, entry_width(canvas, entries[k]));
    }
    if (columns > 1 && total(widths) > room) continue;
    const std::size_t rows = (entries.size() + columns - 1) / columns;
    return {columns, widths, static_cast<int>(rows) * kRowHeight};
  }
}

void draw_legend(Canvas& canvas, double x, double y, double room,
                 const std::vector<LegendEntry>& entries, const LegendLayout& layout) {
  const double left = x + std::max(0.0, (room - total(layout.widths)) / 2);
  double at = left;
  double middle = y + kRowHeight / 2.0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    draw_sample(canvas, at, middle, entries[k]);
    const double text_x = at + kSampleWidth + kSampleGap;
    // Letters in an SVG may be slightly wider than measured.
    canvas.text(text_x, middle, entries[k].label, text_style(x + room - text_x));
    at += layout.widths[k % layout.columns];
    if ((k + 1) % layout.columns != 0) continue;
    at = left;
    middle += kRowHeight;
  }
}

}  // namespace firm
