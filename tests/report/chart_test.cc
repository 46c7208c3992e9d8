#include "report/charts/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "report/charts/chart_axis.h"
#include "report/charts/chart_legend.h"
#include "report/charts/chart_line.h"
#include "report/picture.h"
#include "support/full_disk.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr Rgb kWhite = {255, 255, 255};
constexpr Rgb kFrame = {90, 90, 90};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Figure two_charts() {
  Figure figure{.title = "title", .columns = 2};
  figure.charts.resize(2);
  figure.charts[0].series = {{.label = "a", .x = {1, 2}, .y = {1, 2}, .style = 3},
                             {.label = "b", .x = {1, 2}, .y = {2, 1}, .style = 4}};
  figure.charts[1].series = {{.label = "b", .x = {1, 2}, .y = {2, 3}, .markers = true},
                             {.label = "", .x = {1, 2}, .y = {2, 4}, .style = 6},
                             {.label = "c", .x = {1}, .y = {2}, .low = {1}, .high = {3}}};
  return figure;
}

TEST(Legend, ShowsEveryLabelOnceInStyleOfFirstSeries) {
  const Figure figure = with_shared_styles(two_charts());
  EXPECT_EQ(figure.charts[0].series[0].style, 3);
  EXPECT_EQ(figure.charts[1].series[0].style, 4);
  EXPECT_EQ(figure.charts[1].series[1].style, 6);
  const std::vector<LegendEntry> entries = legend_entries(figure);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[1].label, "b");
  EXPECT_EQ(entries[1].style, 4);
  EXPECT_TRUE(entries[1].markers && !entries[0].markers);
  EXPECT_TRUE(entries[2].band && !entries[1].band);
}

TEST(Legend, StartsNewRowsWhenTooWide) {
  const Canvas canvas(1, 1);
  std::vector<LegendEntry> entries(7, {.label = "a label"});
  entries[3].label = "a label that is longer";
  const LegendLayout wide = lay_out_legend(canvas, entries, 2000);
  const LegendLayout narrow = lay_out_legend(canvas, entries, 500);
  EXPECT_EQ(wide.columns, 7u);
  EXPECT_LT(narrow.columns, 7u);
  EXPECT_GT(narrow.columns, 1u);
  EXPECT_GE(narrow.height, 2 * wide.height);
  EXPECT_LT(std::accumulate(narrow.widths.begin(), narrow.widths.end(), 0.0), 530);
  EXPECT_EQ(lay_out_legend(canvas, entries, 10).columns, 1u);
}

TEST(SeriesStyle, DiffersInColourAndInGrey) {
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < a; ++b) {
      const SeriesStyle p = series_style(a);
      const SeriesStyle q = series_style(b);
      EXPECT_FALSE(p.stroke.colour == q.stroke.colour);
      EXPECT_NE(p.stroke.dash, q.stroke.dash);
      EXPECT_FALSE(p.marker.shape == q.marker.shape && p.marker.filled == q.marker.filled);
    }
    EXPECT_EQ(series_style(a).stroke.colour, series_style(a + 8).stroke.colour);
    EXPECT_EQ(series_style(a).stroke.colour, series_style(a - 8).stroke.colour);
  }
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Whether every tag is closed, in the right order.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (auto at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::string tag = xml.substr(at + 1, xml.find('>', at) - at - 1);
    if (tag.front() == '?' || tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(tag.substr(0, tag.find_first_of(" \n")));
    } else if (open.empty() || open.back() != tag.substr(1)) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

class FigureFile : public ::testing::Test {
 protected:
  std::string svg(const Figure& figure) const {
    write_figure(directory_ / "f.svg", figure);
    EXPECT_EQ(directory_.count(), 1u);
    return file_content(directory_ / "f.svg");
  }
  // Rows with more than 100 pixels in the frame's colour: its top and its bottom.
  static std::vector<int> frame_rows(const Picture& picture) {
    std::vector<int> rows;
    for (int y = 0; y < picture.height(); ++y) {
      int pixels = 0;
      for (int x = 0; x < picture.width(); ++x) pixels += picture.at(x, y) == kFrame ? 1 : 0;
      if (pixels > 100) rows.push_back(y);
    }
    return rows;
  }

  TemporaryDirectory directory_;
};

TEST_F(FigureFile, IsValidSvg) {
  const std::string text = svg(two_charts());
  EXPECT_TRUE(text.starts_with("<?xml"));
  EXPECT_TRUE(is_well_formed(text));
  EXPECT_FALSE(is_well_formed(text.substr(0, text.size() - 8)));
  Figure more = two_charts();
  more.charts[0].series.push_back({.x = {1, 2}, .y = {2, 2}});
  EXPECT_EQ(count(svg(more), "<path"), count(text, "<path") + 1);
}

TEST_F(FigureFile, IsReproducible) {
  const std::string first = svg(two_charts());
  EXPECT_EQ(svg(two_charts()), first);
}

TEST_F(FigureFile, StaysSmallForManyPoints) {
  Figure figure;
  Series series{.label = "noise", .markers = true};
  for (int k = 0; k < 100000; ++k) {
    series.x.push_back(k);
    series.y.push_back(std::exp(-1e-4 * k) * (1 + 0.01 * std::sin(1.0 * k * k)));
    series.low.push_back(0.5 * series.y.back());
    series.high.push_back(2 * series.y.back());
  }
  figure.charts.push_back({.y = {.log = true}, .series = {series}});
  EXPECT_LT(svg(figure).size(), 400000u);
  figure.charts[0].series[0].markers = false;
  EXPECT_LT(svg(figure).size(), 100000u);
}

TEST_F(FigureFile, DrawsDataAtItsPosition) {
  Figure figure;
  Chart chart{.x = {.range = ValueRange{0, 1}}, .y = {.log = true, .range = ValueRange{1, 1e4}}};
  chart.series = {
      {.x = {0, 0.4, NAN, 0.6, 1}, .y = {10, 10, 10, 10, 10}},
      {.x = {0, 1}, .y = {100, 100}, .low = {10, 10}, .high = {1000, 1000}, .style = 8}};
  figure.charts = {chart};
  write_figure(directory_ / "f.png", figure);
  const Picture picture(directory_ / "f.png");
  const std::vector<int> frame = frame_rows(picture);
  ASSERT_EQ(frame.size(), 2u);
  const Rgb colour = series_style(0).stroke.colour;
  const int middle = picture.width() / 2;
  const auto row = [&](double part) {
    return static_cast<int>(frame[1] - part * (frame[1] - frame[0]));
  };
  // A line between two pixels has no pixel of exactly its colour.
  const auto near = [&](int x, double part) {
    for (int y = row(part) - 1; y <= row(part) + 1; ++y) {
      if (picture.at(x, y).r < colour.r + 40 && picture.at(x, y).b > 150) return true;
    }
    return false;
  };
  EXPECT_TRUE(near(middle - 60, 0.25));
  EXPECT_TRUE(near(middle + 90, 0.25));
  EXPECT_TRUE(near(middle, 0.5));
  EXPECT_FALSE(near(middle + 20, 0.25));
  // The band, mixed with white.
  EXPECT_GT(picture.at(middle + 20, row(0.3)).r, 180);
  EXPECT_LT(picture.at(middle + 20, row(0.3)).r, 230);
  EXPECT_FALSE(picture.at(middle + 20, row(0.7)) == kWhite);
  EXPECT_EQ(picture.at(middle + 20, row(0.85)), kWhite);
}

TEST_F(FigureFile, HandlesAnyData) {
  const std::vector<std::vector<Series>> all = {
      {},
      {{}},
      {{.label = "one", .x = {3}, .y = {7}, .markers = true}},
      {{.x = {0}, .y = {0}}},
      {{.x = {1, 2, 3}, .y = {4, 4, 4}, .low = {4, 4, 4}, .high = {4, 4, 4}}},
      {{.x = {1, 1}, .y = {1, 2}}},
      {{.x = {1, NAN, kInfinity}, .y = {-kInfinity, 1, 1}}},
      {{.x = {-1, 0, 1}, .y = {1, -1, 0}, .low = {-1, -2, -3}, .high = {3, 3, 3}}},
      {{.x = {1, 2, 3}, .y = {1e308, -1e308, 1e-308}}},
      {{.x = {1, 2}, .y = {1e249, 1e-249}}}};
  for (const std::vector<Series>& series : all) {
    for (const bool log : {false, true}) {
      Figure figure;
      figure.charts.push_back({.x = {.log = log}, .y = {.log = log}, .series = series});
      figure.charts.front().reference_lines = {{.y = -1, .label = "below"},
                                               {.y = NAN, .label = "nowhere"}};
      EXPECT_TRUE(is_well_formed(svg(figure)));
    }
  }
}

TEST_F(FigureFile, DrawsSinglePointInTheMiddle) {
  Figure figure;
  figure.charts.push_back({.series = {{.x = {3}, .y = {7}}}});
  write_figure(directory_ / "f.png", figure);
  const Picture picture(directory_ / "f.png");
  const std::vector<int> frame = frame_rows(picture);
  const std::vector<int> dot = picture.rows_with(series_style(0).stroke.colour, 0, picture.width());
  ASSERT_FALSE(dot.empty());
  EXPECT_NEAR(dot.front(), (frame.front() + frame.back()) / 2, 4);
}

TEST_F(FigureFile, ShowsReferenceLinesInRange) {
  constexpr Rgb kGrey = {110, 110, 110};
  Figure figure;
  figure.charts.push_back({.y = {.range = ValueRange{0, 4}}});
  figure.charts[0].reference_lines = {
      {.y = 1, .label = "one"}, {.y = 5, .label = "five"}, {.y = NAN}};
  write_figure(directory_ / "f.png", figure);
  const Picture picture(directory_ / "f.png");
  const std::vector<int> frame = frame_rows(picture);
  std::vector<int> lines;
  for (const int y : picture.rows_with(kGrey, 60, 200)) {
    if (lines.empty() || y > lines.back() + 1) lines.push_back(y);
  }
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NEAR(lines[0], frame[1] - 0.25 * (frame[1] - frame[0]), 1.5);
}

TEST_F(FigureFile, PutsLegendAboveCharts) {
  Figure figure;
  figure.charts.push_back({.series = {}});
  write_figure(directory_ / "f.png", figure);
  const int without = frame_rows(Picture(directory_ / "f.png")).front();
  for (int k = 0; k < 12; ++k) {
    figure.charts[0].series.push_back({.label = "number " + std::to_string(k), .markers = true});
  }
  write_figure(directory_ / "f.png", figure);
  const Picture picture(directory_ / "f.png");
  const std::vector<int> frame = frame_rows(picture);
  const std::vector<int> legend =
      picture.rows_with(series_style(0).marker.colour, 0, picture.width());
  EXPECT_GE(frame.front(), without + 3 * 20);
  EXPECT_LT(legend.back(), frame.front() - 5);
  EXPECT_EQ(frame.size(), 2u);
}

TEST_F(FigureFile, ThrowsIfItCannotBeWritten) {
  EXPECT_THROW(write_figure("/nonexistent/f.svg", two_charts()), Error);
  EXPECT_THROW(write_figure("/nonexistent/f.png", two_charts()), Error);
  EXPECT_CONTAINS(error_of([&] { write_figure(directory_ / "f.pdf", two_charts()); }), ".svg or");
  Figure broken = two_charts();
  broken.title = "\xff";
  EXPECT_CONTAINS(error_of([&] { write_figure(directory_ / "f.svg", broken); }), "UTF-8");
  EXPECT_EQ(directory_.count(), 0u);
  write_text_file(directory_ / "f.svg", "old");
  EXPECT_CONTAINS(
      error_on_full_disk(500, [&] { write_figure(directory_ / "f.svg", two_charts()); }),
      "f.svg: expected a file that can be written");
  EXPECT_EQ(file_content(directory_ / "f.svg"), "old");
}

TEST_F(FigureFile, RejectsSeriesOfDifferentLengths) {
  Figure figure = two_charts();
  figure.charts[0].series[0].y.pop_back();
  EXPECT_THROW(write_figure(directory_ / "f.svg", figure), std::logic_error);
}

// Features of the canvas that are hard to test through charts.
class Drawing : public ::testing::Test {
 protected:
  // Number of pixels in every row that are not white.
  std::vector<int> row_ink(const Canvas& canvas) const {
    canvas.write_png(directory_ / "c.png");
    const Picture picture(directory_ / "c.png");
    std::vector<int> rows(static_cast<std::size_t>(picture.height()), 0);
    for (int y = 0; y < picture.height(); ++y) {
      for (int x = 0; x < picture.width(); ++x) {
        rows[static_cast<std::size_t>(y)] += picture.at(x, y) == kWhite ? 0 : 1;
      }
    }
    return rows;
  }
  int ink(const Canvas& canvas) const {
    const std::vector<int> rows = row_ink(canvas);
    return std::accumulate(rows.begin(), rows.end(), 0);
  }

  TemporaryDirectory directory_;
  Canvas canvas_{100, 60};
};

TEST_F(Drawing, StopsAtClip) {
  const std::vector<Point> line = {{0, 10.5}, {100, 10.5}};
  canvas_.clip(20, 0, 30, 60);
  canvas_.line(line, {});
  canvas_.unclip();
  EXPECT_EQ(ink(canvas_), 30);
  canvas_.line(std::vector<Point>{{0, 20.5}, {100, 20.5}}, {.dash = {3, 2}});
  EXPECT_EQ(ink(canvas_), 30 + 60);
}

TEST_F(Drawing, MakesMarkersOfEqualSize) {
  for (const auto shape : {Marker::Shape::kCircle, Marker::Shape::kSquare, Marker::Shape::kTriangle,
                           Marker::Shape::kDiamond}) {
    Canvas canvas(60, 60);
    canvas.text(30, 5, "i", {});  // which must not be joined to the marker
    const int before = ink(canvas);
    canvas.marker({30, 30}, {.shape = shape, .size = 20});
    EXPECT_NEAR(ink(canvas) - before, 390, 50);
  }
}

TEST_F(Drawing, RaisesExponents) {
  const TextStyle style{.size = 20};
  EXPECT_EQ(canvas_.text_width("10^{}", style), canvas_.text_width("10", style));
  EXPECT_LT(canvas_.text_width("10^{4}", style), canvas_.text_width("104", style));
  const auto top = [&](const std::string& text) {
    Canvas canvas(100, 60);
    canvas.text(10, 30, text, style);
    const std::vector<int> rows = row_ink(canvas);
    return std::find_if(rows.begin(), rows.end(), [](int n) { return n > 0; }) - rows.begin();
  };
  EXPECT_LT(top("1^{4}"), top("14") - 2);
}

TEST_F(Drawing, KeepsPixelsSharp) {
  canvas_.pixels(10, 10, 2, 1, std::vector<Rgb>{{255, 0, 0}, {0, 0, 255}});
  canvas_.write_svg(directory_ / "c.svg");
  EXPECT_CONTAINS(file_content(directory_ / "c.svg"), "image-rendering:pixelated");
  EXPECT_EQ(ink(canvas_), 2);
  const Picture picture(directory_ / "c.png");
  EXPECT_EQ(picture.at(10, 10), (Rgb{255, 0, 0}));
  EXPECT_EQ(picture.at(11, 10), (Rgb{0, 0, 255}));
}

}  // namespace
}  // namespace firm
