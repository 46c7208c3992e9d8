// Images in a folder with one array per site.
#include <gtest/gtest.h>

#include "io/files/image_file.h"
#include "support/scan_files.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

TEST(NpyImages, ReadsOneArrayPerSite) {
  const TemporaryDirectory directory;
  const std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  write_npy(directory / "iron.npy", {2, 3, 2}, values);
  write_npy(directory / "xrt.npy", {3, 2}, {1, 2, 3, 4, 5, 6});
  const ImageGrid grid{3, 2, 1e-4};
  const Block iron = read_images(directory.path(), "iron", grid, 2);
  EXPECT_EQ(iron(0, 0), 0);
  EXPECT_EQ(iron(5, 1), 11);
  EXPECT_EQ(read_images(directory.path(), "iron", grid, 2, {1, 1})(0, 0), 6);
  EXPECT_EQ(read_images(directory.path(), "xrt", grid, 1)(3, 0), 4);
  const ImageSlices slices(directory.path(), "iron");
  EXPECT_EQ(slices.slices(), 2u);
  EXPECT_EQ(slices.read(1), (std::vector<float>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(slices.units(), "");
}

TEST(NpyImages, ReadsOrderOfFortran) {
  const TemporaryDirectory directory;
  std::string bytes;
  for (int c = 0; c < 2; ++c) {
    for (int r = 0; r < 3; ++r) {
      for (int z = 0; z < 2; ++z) bytes += bytes_of(static_cast<float>(100 * z + 10 * r + c));
    }
  }
  write_bytes(directory / "a.npy", npy(1, npy_header("<f4", "(2, 3, 2)", true), bytes));
  EXPECT_EQ(ImageSlices(directory.path(), "a").read(1),
            (std::vector<float>{100, 101, 110, 111, 120, 121}));
}

TEST(NpyImages, NamesShapesInErrors) {
  const TemporaryDirectory directory;
  const ImageGrid grid{3, 2, 1e-4};
  const auto error = [&](const std::string& path, const std::string& site) {
    return error_of([&] { read_images(path, site, grid, 2); });
  };
  EXPECT_CONTAINS(error(directory.path(), "iron"), "iron.npy: expected the images of iron");
  write_npy(directory / "iron.npy", {2, 2, 3}, std::vector<float>(12));
  EXPECT_CONTAINS(error(directory.path(), "iron"),
                  "iron.npy: expected the shape (2, 3, 2) (slice, row, column), found (2, 2, 3)");
  write_npy(directory / "iron.npy", {12}, std::vector<float>(12));
  EXPECT_CONTAINS(error(directory.path(), "iron"), "iron.npy: shape: expected an array");
  EXPECT_CONTAINS(error(directory / "iron.npy", "iron"),
                  "expected a folder with one array per site, named SITE.npy");
}

}  // namespace
}  // namespace firm
