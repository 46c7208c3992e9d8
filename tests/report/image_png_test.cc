#include "report/pictures/image_png.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "report/picture.h"
#include "report/pictures/overview.h"
#include "support/full_disk.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr Rgb kWhite = {255, 255, 255};
constexpr Rgb kInk = {30, 30, 30};

// Bright above dark.
Panel example(std::size_t rows, std::size_t columns) {
  Panel panel{"title", rows, columns, std::vector<float>(rows * columns, 0.0f)};
  for (std::size_t k = 0; k < panel.values.size() / 2; ++k) panel.values[k] = 1;
  panel.units = "g/cm^3";
  return panel;
}

// Length of the longest run of ink in a row.
int longest_line(const Picture& picture) {
  int longest = 0;
  for (int y = 0; y < picture.height(); ++y) {
    int run = 0;
    for (int x = 0; x < picture.width(); ++x) {
      run = picture.at(x, y) == kInk ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  return longest;
}

TEST(ScaleBar, HasRoundLengthNearQuarterOfWidth) {
  for (double um = 1e-3; um < 1e7; um *= 1.07) {
    const ScaleBar bar = scale_bar(um * 1e-4);
    const double part = bar.length / (um * 1e-4);
    EXPECT_GT(part, 0.157) << um;
    EXPECT_LT(part, 0.396) << um;
  }
}

TEST(ScaleBar, UsesFittingUnit) {
  EXPECT_EQ(scale_bar(250e-4).label, "50 \u00b5m");
  EXPECT_DOUBLE_EQ(scale_bar(250e-4).length, 50e-4);
  EXPECT_EQ(scale_bar(400e-4).label, "100 \u00b5m");
  EXPECT_EQ(scale_bar(4e-4).label, "1 \u00b5m");
  EXPECT_EQ(scale_bar(2e-4).label, "500 nm");
  EXPECT_EQ(scale_bar(0.4).label, "1 mm");
  EXPECT_EQ(scale_bar(8).label, "20 mm");
  EXPECT_EQ(scale_bar(400).label, "1 m");
  EXPECT_EQ(scale_bar(2e-7).label, "0.5 nm");
}

TEST(ImagePng, PutsRowZeroOnTop) {
  const TemporaryDirectory directory;
  write_image_png(directory / "a.png", example(2, 2), 1e-4, Colormap::kGrey);
  const Picture picture(directory / "a.png");
  const int x = 18 + 200;
  const std::vector<int> dark = picture.rows_with({0, 0, 0}, x, x + 1);
  EXPECT_EQ(dark.size(), 200u);
  EXPECT_GT(dark.front(), picture.height() / 3);
  EXPECT_EQ(directory.count(), 1u);
}

TEST(ImagePng, DrawsScaleBarToScale) {
  const TemporaryDirectory directory;
  // 250 pixels of 1 um are drawn 500 pixels wide, so 50 um are 100 pixels.
  write_image_png(directory / "a.png", example(250, 250), 1e-4);
  EXPECT_EQ(longest_line(Picture(directory / "a.png")), 100);
}

TEST(ImagePng, HasUsefulSizeForAnyImage) {
  const TemporaryDirectory directory;
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1},
                                      {1, 3000},
                                      {3000, 1},
                                      {700, 500},
                                      {2000, 2000}}) {
    write_image_png(directory / "a.png", example(rows, columns), 1e-4);
    const Picture picture(directory / "a.png");
    EXPECT_GE(picture.width(), 200);
    EXPECT_LE(picture.width(), 1100);
    EXPECT_GE(picture.height(), 150);
    EXPECT_LE(picture.height(), 1000);
  }
}

TEST(ImagePng, ShowsNanInMagenta) {
  const TemporaryDirectory directory;
  Panel panel = example(2, 2);
  panel.values[0] = NAN;
  panel.values[3] = INFINITY;
  write_image_png(directory / "a.png", panel, 1e-4);
  EXPECT_EQ(Picture(directory / "a.png").count({255, 0, 255}), 200 * 200);
}

TEST(ImagePng, KeepsOldFileWhenDiskIsFull) {
  const TemporaryDirectory directory;
  write_text_file(directory / "a.png", "old");
  for (const std::uint64_t bytes : std::vector<std::uint64_t>{0, 500}) {
    const std::string text = error_on_full_disk(
        bytes, [&] { write_image_png(directory / "a.png", example(9, 9), 1e-4); });
    EXPECT_CONTAINS(text, "a.png: expected a file that can be written");
    EXPECT_EQ(file_content(directory / "a.png"), "old");
    EXPECT_EQ(directory.count(), 1u);
  }
}

class Overview : public ::testing::Test {
 protected:
  static Block flat(float value) {
    Block block(4, 1);
    for (float& v : block.values()) v = value;
    return block;
  }
  static ImageStack stack(const Block& block) { return {"xrt", "attenuation", "1/cm", &block}; }
  // Colours of the panels of a row, in the middle of their left half.
  static Rgb in_row(const Picture& picture, int row) {
    return picture.at(58 + 70, 86 + row * 326 + 140);
  }

  TemporaryDirectory directory_;
  ImageGrid grid_{2, 2, 1e-4};
};

TEST_F(Overview, ComparesWithTruth) {
  Block truth = flat(1);
  truth(1, 0) = 3;
  Block image = flat(2);
  image(1, 0) = 3;
  write_overview(directory_ / "o.png", "title", grid_, {stack(image)}, {stack(truth)}, 0);
  const Picture picture(directory_ / "o.png");
  EXPECT_EQ(in_row(picture, 0), colour_of(Colormap::kViridis, 0));
  EXPECT_EQ(in_row(picture, 1), colour_of(Colormap::kViridis, 0.5));
  EXPECT_EQ(in_row(picture, 2), colour_of(Colormap::kDiverging, 1));
  // The right half has no difference.
  EXPECT_EQ(picture.at(58 + 210, 86 + 2 * 326 + 70), kWhite);
}

TEST_F(Overview, WorksWithoutTruth) {
  const Block image = flat(2);
  write_overview(directory_ / "o.png", "title", grid_, {stack(image)}, {}, 0);
  EXPECT_LT(Picture(directory_ / "o.png").height(), 500);
}

// Reads the line below the title, which starts 24 pixels from the top and is 36 pixels high.
std::vector<Rgb> subtitle_in(const Picture& picture) {
  std::vector<Rgb> pixels;
  for (int y = 24 + 22; y < 24 + 36; ++y) {
    for (int x = 0; x < picture.width(); ++x) pixels.push_back(picture.at(x, y));
  }
  return pixels;
}

TEST_F(Overview, NamesSliceIfThereAreSeveral) {
  Block three(4, 3);
  for (float& v : three.values()) v = 1;
  const auto draw = [&](const std::string& title, std::size_t slice) {
    write_overview(directory_ / "o.png", title, grid_, {stack(three)}, {}, slice);
    return subtitle_in(Picture(directory_ / "o.png"));
  };
  const std::vector<Rgb> first = draw("title", 0);
  EXPECT_TRUE(std::any_of(first.begin(), first.end(), [](Rgb c) { return c.r < 100; }));
  EXPECT_NE(first, draw("title", 1)) << "the number of the slice";
  EXPECT_EQ(first, draw(std::string(200, 'W'), 0)) << "a long title leaves room for it";

  const Block one = flat(1);
  write_overview(directory_ / "one.png", "title", grid_, {stack(one)}, {}, 0);
  EXPECT_EQ(Picture(directory_ / "one.png").height() + 22, Picture(directory_ / "o.png").height());
}

TEST_F(Overview, ShowsElementThatTruthLacks) {
  const Block truth = flat(0);
  Block image = flat(0);
  image(0, 0) = 5;
  write_overview(directory_ / "o.png", "title", grid_, {stack(image)}, {stack(truth)}, 0);
  const Picture picture(directory_ / "o.png");
  EXPECT_EQ(in_row(picture, 0), colour_of(Colormap::kViridis, 0));
  EXPECT_EQ(picture.at(58 + 70, 86 + 326 + 70), colour_of(Colormap::kViridis, 1));
}

}  // namespace
}  // namespace firm
