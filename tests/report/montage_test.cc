#include "report/pictures/montage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "firm/error.h"
#include "report/picture.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

TEST(Colormap, InterpolatesAndClamps) {
  EXPECT_EQ(colour_of(Colormap::kViridis, 0), (Rgb{0x44, 0x01, 0x54}));
  EXPECT_EQ(colour_of(Colormap::kViridis, 0.5), (Rgb{0x21, 0x90, 0x8c}));
  EXPECT_EQ(colour_of(Colormap::kViridis, 1), (Rgb{0xfd, 0xe7, 0x25}));
  EXPECT_EQ(colour_of(Colormap::kViridis, -3), colour_of(Colormap::kViridis, 0));
  EXPECT_EQ(colour_of(Colormap::kViridis, 7), colour_of(Colormap::kViridis, 1));
  EXPECT_EQ(colour_of(Colormap::kGrey, 0), (Rgb{0, 0, 0}));
  EXPECT_EQ(colour_of(Colormap::kGrey, 1), (Rgb{255, 255, 255}));
  EXPECT_EQ(colour_of(Colormap::kGrey, NAN), (Rgb{255, 0, 255}));
  EXPECT_EQ(colour_of(Colormap::kDiverging, 0.5), (Rgb{255, 255, 255}));
  EXPECT_GT(colour_of(Colormap::kDiverging, 0.2).b, colour_of(Colormap::kDiverging, 0.2).r);
  EXPECT_GT(colour_of(Colormap::kDiverging, 0.8).r, colour_of(Colormap::kDiverging, 0.8).b);
}

TEST(Resample, AveragesOverPixelArea) {
  const Panel panel{"", 2, 4, {1, 3, 5, 7, 2, 4, 6, 8}};
  EXPECT_EQ(resample(panel, 2, 4), panel.values);
  EXPECT_EQ(resample(panel, 1, 2), (std::vector<float>{2.5f, 6.5f}));
  EXPECT_EQ(resample(panel, 2, 8),
            (std::vector<float>{1, 1, 3, 3, 5, 5, 7, 7, 2, 2, 4, 4, 6, 6, 8, 8}));
  double sum = 0;
  for (const float v : resample(panel, 7, 9)) sum += static_cast<double>(v);
  EXPECT_NEAR(sum / 63, 4.5, 1e-6);
}

TEST(MakePanel, TakesOneColumn) {
  Block block(6, 2);
  for (std::size_t k = 0; k < 6; ++k) block(k, 1) = static_cast<float>(k);
  const Panel panel = make_panel("title", block, 1, 2, 3);
  EXPECT_EQ(panel.values, (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST(Montage, PutsRowZeroOnTopAndTheFirstPanelLeft) {
  const TemporaryDirectory directory;
  Montage montage;
  montage.panel_width = 100;
  // The panels are bright above dark, then dark above bright, unlike the smooth colour bar.
  montage.rows.push_back({"row", Colormap::kGrey, 1, {{"a", 2, 1, {1, 0}}, {"b", 2, 1, {0, 1}}}});
  write_montage(directory / "m.png", montage);
  EXPECT_EQ(directory.count(), 1u);
  const Picture picture(directory / "m.png");
  const std::vector<int> dark_left = picture.rows_with({0, 0, 0}, 60, 150);
  const std::vector<int> dark_right = picture.rows_with({0, 0, 0}, 60 + 206, 150 + 206);
  ASSERT_EQ(dark_left.size(), 50u);
  ASSERT_EQ(dark_right.size(), 50u);
  EXPECT_GT(dark_left.front(), dark_right.back());
}

TEST(Montage, UsesGivenRange) {
  const TemporaryDirectory directory;
  Montage montage;
  montage.panel_width = 100;
  Panel panel{"", 1, 3, {-5, 1, 1}};
  panel.range = ValueRange{0, 4};
  montage.rows.push_back({"", Colormap::kGrey, 1, {panel}});
  write_montage(directory / "m.png", montage);
  const Picture picture(directory / "m.png");
  const int left = 58;  // of the first panel
  const int middle = picture.height() / 2 + 20;
  EXPECT_EQ(picture.at(left + 10, middle), (Rgb{0, 0, 0}));
  EXPECT_EQ(picture.at(left + 90, middle), (Rgb{64, 64, 64}));
}

TEST(Montage, ShowsSingleValueInColourOfZero) {
  const TemporaryDirectory directory;
  for (const Colormap map : {Colormap::kGrey, Colormap::kDiverging}) {
    Montage montage;
    montage.panel_width = 100;
    montage.rows.push_back({"", map, 1, {{"", 1, 1, {7}}}});
    write_montage(directory / "m.png", montage);
    const Picture picture(directory / "m.png");
    EXPECT_EQ(picture.at(58 + 50, picture.height() / 2 + 20),
              colour_of(map, map == Colormap::kDiverging ? 0.5 : 0));
  }
}

// Columns of pixels that a text takes: 20 pixels high, centred at 200.
std::pair<int, int> extent_of(const std::string& text, double max_width) {
  const TemporaryDirectory directory;
  Canvas canvas(400, 30);
  canvas.text(200, 15, text,
              {.size = 20, .align = TextStyle::Align::kCentre, .max_width = max_width});
  canvas.write_png(directory / "t.png");
  const Picture picture(directory / "t.png");
  std::pair<int, int> extent{picture.width(), 0};
  for (int x = 0; x < picture.width(); ++x) {
    for (int y = 0; y < picture.height(); ++y) {
      if (picture.at(x, y) == Rgb{255, 255, 255}) continue;
      extent = {std::min(extent.first, x), std::max(extent.second, x)};
    }
  }
  return extent;
}

// A long title must not cover the panel to its right.
TEST(Canvas, KeepsTextWithinItsWidth) {
  const auto [left, right] = extent_of("WWWWWW", 0);
  const int width = right - left;
  EXPECT_EQ(extent_of("WWWWWW", width + 20), (std::pair{left, right}));
  for (const std::string& text : {std::string("WWWWWW"), std::string(60, 'W')}) {
    const auto [first, last] = extent_of(text, 0.8 * width);
    EXPECT_GE(first, 200 - 0.4 * width - 1);
    EXPECT_LE(last, 200 + 0.4 * width + 1);
    EXPECT_GT(last - first, 0.6 * width);
  }
  // If nothing fits, at most an ellipsis is drawn; characters of two bytes are never cut.
  EXPECT_LT(extent_of("\u00b5\u00b5\u00b5", 3).second, 220);
}

TEST(Montage, ThrowsIfItCannotBeWritten) {
  Montage montage;
  montage.rows.push_back({"row", Colormap::kGrey, 1, {{"a", 1, 1, {1}}}});
  EXPECT_THROW(write_montage("/nonexistent/m.png", montage), Error);
}

}  // namespace
}  // namespace firm
