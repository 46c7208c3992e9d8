#include "io/tiff/tiff.h"

#include <gtest/gtest.h>
#include <tiffio.h>

#include <cmath>
#include <limits>
#include <vector>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "support/full_disk.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr double kPixel = 0.65e-4;  // cm

// Reads the file through the library, as another program would.
class TiffFile {
 public:
  explicit TiffFile(const std::string& path) : file_(TIFFOpen(path.c_str(), "r")) {
    if (file_ == nullptr) throw std::runtime_error("cannot open " + path);
  }
  ~TiffFile() { TIFFClose(file_); }
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  template <typename T>
  T field(ttag_t tag) const {
    T value{};
    EXPECT_EQ(TIFFGetField(file_, tag, &value), 1) << tag;
    return value;
  }
  bool has(ttag_t tag) const {
    const char* text = nullptr;
    return TIFFGetField(file_, tag, &text) == 1;
  }
  int pages() const { return static_cast<int>(TIFFNumberOfDirectories(file_)); }
  std::vector<float> values(std::size_t rows, std::size_t columns) const {
    std::vector<float> all(rows * columns);
    for (std::size_t row = 0; row < rows; ++row) {
      EXPECT_EQ(
          TIFFReadScanline(file_, all.data() + row * columns, static_cast<std::uint32_t>(row), 0),
          1);
    }
    return all;
  }

 private:
  TIFF* file_;
};

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = 0.25f * static_cast<float>(k) - 3;
  return values;
}

TEST(Tiff, HoldsTheValues) {
  const TemporaryDirectory directory;
  std::vector<float> values = ramp(15);
  values[4] = std::numeric_limits<float>::denorm_min();
  values[5] = std::numeric_limits<float>::infinity();
  values[6] = -0.0f;
  write_tiff(directory / "a.tiff", 3, 5, values, "words", kPixel);
  EXPECT_EQ(TiffFile(directory / "a.tiff").values(3, 5), values);
  EXPECT_EQ(directory.count(), 1u);

  values[7] = std::numeric_limits<float>::quiet_NaN();
  write_tiff(directory / "a.tiff", 5, 3, values, "words", kPixel);
  const std::vector<float> back = TiffFile(directory / "a.tiff").values(5, 3);
  EXPECT_TRUE(std::isnan(back[7]));
  EXPECT_EQ(back[8], values[8]);
}

TEST(Tiff, DescribesItself) {
  const TemporaryDirectory directory;
  write_tiff(directory / "a.tiff", 3, 5, ramp(15), "xrt, slice 0: 1/cm", kPixel);
  const TiffFile file(directory / "a.tiff");
  EXPECT_EQ(file.pages(), 1);
  EXPECT_EQ(file.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH), 5u);
  EXPECT_EQ(file.field<std::uint32_t>(TIFFTAG_IMAGELENGTH), 3u);
  EXPECT_EQ(file.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE), 32);
  EXPECT_EQ(file.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL), 1);
  EXPECT_EQ(file.field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT), SAMPLEFORMAT_IEEEFP);
  EXPECT_EQ(file.field<std::uint16_t>(TIFFTAG_PHOTOMETRIC), PHOTOMETRIC_MINISBLACK);
  EXPECT_EQ(file.field<std::uint16_t>(TIFFTAG_COMPRESSION), COMPRESSION_NONE);
  EXPECT_EQ(file.field<std::uint16_t>(TIFFTAG_RESOLUTIONUNIT), RESUNIT_CENTIMETER);
  EXPECT_NEAR(file.field<float>(TIFFTAG_XRESOLUTION), 1 / kPixel, 1e-6 / kPixel);
  EXPECT_NEAR(file.field<float>(TIFFTAG_YRESOLUTION), 1 / kPixel, 1e-6 / kPixel);
  EXPECT_STREQ(file.field<const char*>(TIFFTAG_IMAGEDESCRIPTION), "xrt, slice 0: 1/cm");
  EXPECT_FALSE(file.has(TIFFTAG_DATETIME));
}

TEST(Tiff, AcceptsPixelsOfAnySize) {
  const TemporaryDirectory directory;
  for (const double cm : {1e-8, 1e-4, 1.0, 250.0}) {
    write_tiff(directory / "a.tiff", 1, 1, ramp(1), "", cm);
    const TiffFile file(directory / "a.tiff");
    EXPECT_NEAR(file.field<float>(TIFFTAG_XRESOLUTION) * cm, 1, 1e-6) << cm;
  }
}

TEST(Tiff, WritesEqualBytesForEqualImages) {
  const TemporaryDirectory directory;
  write_tiff(directory / "a.tiff", 30, 50, ramp(1500), "words", kPixel);
  write_tiff(directory / "b.tiff", 30, 50, ramp(1500), "words", kPixel);
  EXPECT_EQ(file_content(directory / "a.tiff"), file_content(directory / "b.tiff"));
  EXPECT_EQ(file_content(directory / "a.tiff").substr(0, 2), "II");
}

TEST(Tiff, NamesAnUnwritablePath) {
  const TemporaryDirectory directory;
  const std::string text =
      error_of([&] { write_tiff(directory / "none/a.tiff", 1, 1, ramp(1), "", kPixel); });
  EXPECT_CONTAINS(text, "none/a.tiff: expected a file that can be written, found No such file");
}

TEST(Tiff, KeepsOldFileWhenDiskIsFull) {
  const TemporaryDirectory directory;
  write_text_file(directory / "a.tiff", "old");
  // The disk is full at the header, within the values, and within the directory.
  for (const std::uint64_t bytes : std::vector<std::uint64_t>{0, 4, 2000, 4008, 4020, 4100}) {
    const std::string text = error_on_full_disk(
        bytes, [&] { write_tiff(directory / "a.tiff", 25, 40, ramp(1000), "", kPixel); });
    // The message starts here: the library has printed nothing.
    const std::string start =
        directory / "a.tiff" + ": expected a file that can be written, found ";
    EXPECT_EQ(text.substr(0, start.size()), start);
    EXPECT_CONTAINS(text, "File too large");
    EXPECT_EQ(file_content(directory / "a.tiff"), "old");
    EXPECT_EQ(directory.count(), 1u);
  }
}

TEST(Tiff, ChecksItsArguments) {
  const TemporaryDirectory directory;
  EXPECT_THROW(write_tiff(directory / "a", 2, 2, ramp(3), "", kPixel), std::logic_error);
  EXPECT_THROW(write_tiff(directory / "a", 0, 2, ramp(0), "", kPixel), std::logic_error);
  EXPECT_THROW(write_tiff(directory / "a", 1, 1, ramp(1), "", 0), std::logic_error);
  EXPECT_EQ(directory.count(), 0u);
}

}  // namespace
}  // namespace firm
