// Reads stacks of TIFF images.
#include <gtest/gtest.h>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "io/tiff/tiff.h"
#include "support/temporary_directory.h"
#include "support/tiff_pages.h"

namespace firm {
namespace {

class TiffStack : public ::testing::Test {
 protected:
  TiffStack() : angles_(write_angles(directory_ / "angles.txt")) { make_directory(folder()); }

  std::string folder() const { return directory_ / "tiffs"; }
  std::string in_folder(const std::string& name) const { return folder() + "/" + name; }
  Scan open(const std::string& path, const std::string& axes = "") const {
    return open_scan(path, {"", false, angles_, axes});
  }
  std::string refusal(const std::string& path, const std::string& axes = "") const {
    return error_of([&] { open(path, axes); });
  }

  template <typename T>
  void expect_pages(const TiffKind& kind, const std::string& type) {
    write_counted_pages<T>(directory_ / "a.tif", kind);
    const Scan scan = open(directory_ / "a.tif");
    EXPECT_EQ(scan.format, "TIFF");
    EXPECT_EQ(scan.data->facts().type, type);
    EXPECT_EQ(scan.data->facts().shape, (h5::Shape{4, 2, 3}));
    expect_counted(*scan.data);
  }

  TemporaryDirectory directory_;
  std::string angles_;
};

TEST_F(TiffStack, ReadsEveryType) {
  for (const char* mode : {"wl", "wb", "w8"}) {
    TiffKind kind;
    kind.mode = mode;
    expect_pages<std::uint8_t>(kind, "uint8");
    expect_pages<std::uint16_t>(kind, "uint16");
    expect_pages<std::uint32_t>(kind, "uint32");
    kind.format = SAMPLEFORMAT_INT;
    expect_pages<std::int16_t>(kind, "int16");
    expect_pages<std::int32_t>(kind, "int32");
    kind.format = SAMPLEFORMAT_IEEEFP;
    expect_pages<float>(kind, "float32");
    expect_pages<double>(kind, "float64");
  }
}

TEST_F(TiffStack, ReadsEveryKindOfStorage) {
  for (const int compression :
       {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS}) {
    TiffKind kind;
    kind.compression = static_cast<std::uint16_t>(compression);
    expect_pages<std::uint16_t>(kind, "uint16");
    kind.rows_per_strip = 1;
    expect_pages<std::uint16_t>(kind, "uint16");
    kind.tiles = true;
    expect_pages<std::uint16_t>(kind, "uint16");
  }
}

// Strips and tiles that do not divide the image.
TEST_F(TiffStack, ReadsPartialStripsAndTiles) {
  const std::size_t rows = 35;
  const std::size_t columns = 21;
  std::vector<float> values(rows * columns);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k);
  for (const bool tiles : {false, true}) {
    TiffKind kind;
    kind.format = SAMPLEFORMAT_IEEEFP;
    kind.compression = COMPRESSION_LZW;
    kind.rows_per_strip = 8;
    kind.tiles = tiles;
    {
      TiffWriter<float> writer(directory_ / "a.tif", kind);
      for (int k = 0; k < 4; ++k) writer.page(rows, columns, values);
    }
    const Scan scan = open(directory_ / "a.tif");
    EXPECT_EQ(scan.data->read({2, 1, 0, rows}), values);
    const std::vector<float> middle = scan.data->read({0, 1, 13, 9});
    EXPECT_TRUE(std::equal(middle.begin(), middle.end(), values.begin() + 13 * columns));
    // If rows are frames, the frames of a strip or tile are read together.
    write_bytes(directory_ / "many.txt",
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n"
                "18\n19\n20\n21\n22\n23\n24\n25\n26\n27\n28\n29\n30\n31\n32\n"
                "33\n34\n35\n");
    const Scan rows_scan =
        open_scan(directory_ / "a.tif", {"", false, directory_ / "many.txt", "y:theta:x"});
    EXPECT_EQ(rows_scan.data->facts().chunk, tiles ? 16u : 8u);
    EXPECT_EQ(rows_scan.data->read({34, 1, 3, 1}),
              std::vector<float>(values.end() - columns, values.end()));
  }
}

TEST_F(TiffStack, ReadsAFolder) {
  // Sorts numbers as numbers, and ignores other files.
  for (std::size_t a = 0; a < kAngles; ++a) {
    const std::size_t number = a < 2 ? a : 9 + a;
    TiffWriter<std::uint16_t>(in_folder(numbered("img_", number, ".tiff")), {})
        .page(kSlices, kBeamlets, counted_frame<std::uint16_t>(a));
  }
  write_angles(in_folder("angles.txt"));
  write_bytes(in_folder(".hidden.tiff"), std::string("II*\0", 4));
  const Scan scan = open(folder());
  EXPECT_EQ(scan.format, "TIFF, a folder of files");
  EXPECT_EQ(scan.files.size(), 4u);
  EXPECT_EQ(scan.data->facts().path, "img_0.tiff .. img_12.tiff");
  EXPECT_EQ(scan.theta, (std::vector<double>{0, 45, 90, 135}));
  expect_counted(*scan.data);
}

TEST_F(TiffStack, ReadsASinogramPerSlice) {
  for (std::size_t y = 0; y < kSlices; ++y) {
    std::vector<float> sinogram;
    for (std::size_t a = 0; a < kAngles; ++a) {
      for (std::size_t x = 0; x < kBeamlets; ++x) {
        sinogram.push_back(static_cast<float>(counted(a, y, x)));
      }
    }
    write_tiff(in_folder(numbered("s", y, ".tif")), kAngles, kBeamlets, sinogram, "", 1e-4);
  }
  expect_counted(*open(folder(), "y:theta:x").data);
  // A single file is one slice.
  const Scan slice = open(in_folder("s1.tif"), "theta:x");
  EXPECT_EQ(slice.data->slices(), 1u);
  EXPECT_EQ(slice.data->read({2, 1, 0, 1})[1], static_cast<float>(counted(2, 1, 1)));
  EXPECT_CONTAINS(refusal(in_folder("s1.tif")), "expected 1 angles, one per frame of one page");
}

TEST_F(TiffStack, RefusesPagesThatDiffer) {
  const std::vector<std::uint8_t> values(24);
  TiffWriter<std::uint8_t>(in_folder("a1.tif"), {}).page(2, 3, values);
  TiffWriter<std::uint8_t>(in_folder("a2.tif"), {}).page(2, 4, values);
  EXPECT_CONTAINS(refusal(folder()),
                  "a2.tif: page 0: expected 2 x 3 pixels of uint8, as a1.tif has, found 2 x 4");
  write_counted_pages<std::uint8_t>(in_folder("a2.tif"), {});
  EXPECT_CONTAINS(refusal(folder()), "a2.tif: expected one page");
  {
    TiffWriter<std::uint8_t> writer(directory_ / "b.tif", {});
    writer.page(2, 3, values);
    writer.page(3, 3, values);
  }
  EXPECT_CONTAINS(refusal(directory_ / "b.tif"),
                  "page 1: expected 2 x 3 pixels of uint8, as page 0");
}

TEST_F(TiffStack, RefusesColours) {
  TiffKind colours;
  colours.samples = 3;
  const std::vector<std::uint8_t> values(24);
  TiffWriter<std::uint8_t>(directory_ / "a.tif", colours).page(2, 3, values);
  EXPECT_CONTAINS(refusal(directory_ / "a.tif"), "expected one number per pixel, found 3");
  TiffKind half;
  half.format = SAMPLEFORMAT_IEEEFP;
  TiffWriter<std::uint16_t>(directory_ / "a.tif", half).page(2, 3, std::vector<std::uint16_t>(6));
  EXPECT_CONTAINS(refusal(directory_ / "a.tif"), "found 16 bits, sample format 3");
}

TEST_F(TiffStack, NeedsAngles) {
  write_counted_pages<float>(directory_ / "a.tif", {"w", SAMPLEFORMAT_IEEEFP});
  EXPECT_CONTAINS(error_of([&] { open_scan(directory_ / "a.tif"); }),
                  "angles: expected a file with 4 angles, one per frame of (4, 2, 3) theta:y:x "
                  "float32 (angles = \"...\" in the study, --angles)");
  EXPECT_CONTAINS(refusal(directory_ / "a.tif", "theta:x"), "an order of theta, y and x");
}

}  // namespace
}  // namespace firm
