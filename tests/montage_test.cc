#include "report/montage.h"

#include <cairo.h>
#include <gtest/gtest.h>

#include <cmath>

#include "firm/error.h"
#include "temporary_directory.h"

namespace firm {
namespace {

// A picture read back from its file.
class Picture {
 public:
  explicit Picture(const std::string& path)
      : surface_(cairo_image_surface_create_from_png(path.c_str())) {}
  ~Picture() { cairo_surface_destroy(surface_); }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  int width() const { return cairo_image_surface_get_width(surface_); }
  int height() const { return cairo_image_surface_get_height(surface_); }
  Rgb at(int x, int y) const {
    const unsigned char* p = cairo_image_surface_get_data(surface_) +
                             y * cairo_image_surface_get_stride(surface_) + 4 * x;
    return {p[2], p[1], p[0]};
  }
  // Rows in which a colour occurs at all, from the top.
  std::vector<int> rows_with(Rgb colour, int from_x, int to_x) const {
    std::vector<int> rows;
    for (int y = 0; y < height(); ++y) {
      for (int x = from_x; x < to_x; ++x) {
        if (at(x, y) == colour) {
          rows.push_back(y);
          break;
        }
      }
    }
    return rows;
  }

 private:
  cairo_surface_t* surface_;
};

TEST(Colormap, RunsFromEndToEnd) {
  EXPECT_EQ(colour_of(Colormap::kViridis, 0), (Rgb{0x44, 0x01, 0x54}));
  EXPECT_EQ(colour_of(Colormap::kViridis, 0.5), (Rgb{0x21, 0x90, 0x8c}));
  EXPECT_EQ(colour_of(Colormap::kViridis, 1), (Rgb{0xfd, 0xe7, 0x25}));
  EXPECT_EQ(colour_of(Colormap::kViridis, -3), colour_of(Colormap::kViridis, 0));
  EXPECT_EQ(colour_of(Colormap::kViridis, 7), colour_of(Colormap::kViridis, 1));
  EXPECT_EQ(colour_of(Colormap::kGrey, 0), (Rgb{0, 0, 0}));
  EXPECT_EQ(colour_of(Colormap::kGrey, 1), (Rgb{255, 255, 255}));
  EXPECT_EQ(colour_of(Colormap::kGrey, NAN), (Rgb{255, 0, 255}));
}

TEST(Resample, TakesTheMeanOverAPixel) {
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
  // Bright above dark, then dark above bright; different from the colour bar, which is smooth.
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

TEST(Montage, ThatCannotBeWrittenIsAnError) {
  Montage montage;
  montage.rows.push_back({"row", Colormap::kGrey, 1, {{"a", 1, 1, {1}}}});
  EXPECT_THROW(write_montage("/nonexistent/m.png", montage), Error);
}

}  // namespace
}  // namespace firm
