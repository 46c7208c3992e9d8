#include "io/files/image_file.h"

#include <gtest/gtest.h>

#include "firm/error.h"
#include "firm/version.h"
#include "io/files/pending_file.h"
#include "io/hdf5/hdf5.h"
#include "io/hdf5_variants.h"
#include "support/full_disk.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr std::size_t kRows = 3;
constexpr std::size_t kColumns = 4;
constexpr std::size_t kSlices = 2;
const ImageGrid kGrid{kRows, kColumns, 0.5e-4};

Block ramp(float start) {
  Block images(kRows * kColumns, kSlices);
  for (std::size_t k = 0; k < images.size(); ++k) {
    images.data()[k] = start + static_cast<float>(k);
  }
  return images;
}

class ImageFile : public ::testing::Test {
 protected:
  void write(const std::string& name, const ImageNotes& notes = {}) {
    write_images(directory_ / name, kGrid,
                 {{"xrf-1", "density", "g/cm^3", &xrf_}, {"xrt", "attenuation", "1/cm", &xrt_}},
                 notes);
  }

  TemporaryDirectory directory_;
  Block xrf_ = ramp(1);
  Block xrt_ = ramp(100);
};

bool equal(const Block& a, const Block& b) {
  return a.rows() == b.rows() && a.columns() == b.columns() &&
         std::equal(a.values().begin(), a.values().end(), b.values().begin());
}

TEST_F(ImageFile, ReadsWhatItWrote) {
  write("a.h5");
  EXPECT_TRUE(equal(read_images(directory_ / "a.h5", "xrf-1"), xrf_));
  EXPECT_TRUE(equal(read_images(directory_ / "a.h5", "xrt"), xrt_));
  EXPECT_TRUE(equal(read_images(directory_ / "a.h5", "xrt", kGrid, kSlices), xrt_));
  EXPECT_EQ(directory_.count(), 1u);
}

TEST_F(ImageFile, ReadsSomeSlices) {
  write("a.h5");
  const Block last = read_images(directory_ / "a.h5", "xrt", kGrid, kSlices, {1, 1});
  ASSERT_EQ(last.columns(), 1u);
  const Slices stored = stored_images(directory_ / "a.h5", "xrt", kGrid, kSlices);
  EXPECT_EQ(stored.count(), kSlices);
  EXPECT_EQ(stored.pixels(), kRows * kColumns);
  for (std::size_t p = 0; p < xrt_.rows(); ++p) {
    EXPECT_EQ(last(p, 0), xrt_(p, 1));
    EXPECT_EQ(stored.slice(1)[p], xrt_(p, 1));
  }
  const Slices other = stored_images(directory_ / "a.h5", "xrt", kGrid, kSlices + 1);
  EXPECT_CONTAINS(error_of([&] { other.slice(0); }), "expected the shape (3, 3, 4)");
}

// Slices of a file give the same bytes as images in memory.
TEST_F(ImageFile, WritesSlicesOfAnotherFile) {
  write("a.h5");
  write_images(
      directory_ / "b.h5", kGrid,
      {{"xrf-1", "density", "g/cm^3", stored_images(directory_ / "a.h5", "xrf-1", kGrid, kSlices)},
       {"xrt", "attenuation", "1/cm", stored_images(directory_ / "a.h5", "xrt", kGrid, kSlices)}});
  EXPECT_EQ(file_content(directory_ / "a.h5"), file_content(directory_ / "b.h5"));
}

TEST_F(ImageFile, HasTheLayoutThatViewersExpect) {
  write("a.h5");
  const h5::Reader reader(directory_ / "a.h5");
  EXPECT_EQ(reader.text_attribute("/", "NX_class"), "NXroot");
  EXPECT_EQ(reader.text_attribute("/entry/xrt/attenuation", "long_name"), "attenuation (1/cm)");
  EXPECT_EQ(reader.text_attribute("/entry/xrt/attenuation", "interpretation"), "image");
  EXPECT_EQ(reader.text_attribute("/entry/xrt/column", "long_name"), "column (um)");
  EXPECT_EQ(reader.text("/entry/xrt/title"), "xrt");
  EXPECT_EQ(reader.text_attribute("/", "default"), "entry");
  EXPECT_EQ(reader.text_attribute("/entry", "NX_class"), "NXentry");
  EXPECT_EQ(reader.text_attribute("/entry", "default"), "xrt");
  EXPECT_EQ(reader.text_attribute("/entry/xrt", "NX_class"), "NXdata");
  EXPECT_EQ(reader.text_attribute("/entry/xrt", "signal"), "attenuation");
  EXPECT_EQ(reader.text_attribute("/entry/xrt", "axes"), "slice:row:column");
  EXPECT_EQ(reader.text_attribute("/entry/xrf-1/density", "units"), "g/cm^3");
  const h5::Dataset images = reader.dataset("/entry/xrt/attenuation");
  EXPECT_EQ(images.type_name(), "float32");
  EXPECT_EQ(images.shape(), (h5::Shape{kSlices, kRows, kColumns}));
  // Slice 1, row 2, column 3.
  EXPECT_EQ(images.read_all<float>().at(1 * 12 + 2 * 4 + 3), xrt_(2 * 4 + 3, 1));
  EXPECT_EQ(reader.dataset("/entry/xrt/column").read_all<double>(),
            (std::vector<double>{0.25, 0.75, 1.25, 1.75}));
  EXPECT_EQ(reader.text_attribute("/entry/xrt/row", "units"), "um");
  EXPECT_FALSE(reader.has("/entry/process"));
}

TEST_F(ImageFile, KeepsNotes) {
  // Longer than the blocks in which the library stores texts.
  const std::string study = "[study]\nname = \"\u00b5\"\n" + std::string(100000, '#');
  write("a.h5", {study, "{\"rounds\": 6}"});
  const h5::Reader reader(directory_ / "a.h5");
  EXPECT_EQ(reader.text_attribute("/entry/process", "NX_class"), "NXprocess");
  EXPECT_EQ(reader.text("/entry/process/program"), "firm");
  EXPECT_EQ(reader.text("/entry/process/version"), kVersion);
  EXPECT_EQ(reader.text("/entry/process/study"), study);
  EXPECT_EQ(reader.text("/entry/process/summary"), "{\"rounds\": 6}");
  write("b.h5", {"", "{}"});
  EXPECT_FALSE(h5::Reader(directory_ / "b.h5").has("/entry/process/study"));
  EXPECT_TRUE(equal(read_images(directory_ / "b.h5", "xrt"), xrt_));
}

TEST_F(ImageFile, WritesEqualBytesForEqualImages) {
  const ImageNotes notes{std::string(5000, 's'), "{}"};
  write("a.h5", notes);
  write("b.h5", notes);
  EXPECT_EQ(file_content(directory_ / "a.h5"), file_content(directory_ / "b.h5"));
}

TEST_F(ImageFile, NamesTheMissingSite) {
  EXPECT_CONTAINS(error_of([&] { read_images(directory_ / "none.h5", "xrt"); }),
                  "none.h5: expected an HDF5 file, found No such file");
  write("a.h5", {"study", ""});
  for (const std::string site : {"xrf-2", "process", "", "xrf-1/density"}) {
    const std::string text = error_of([&] { read_images(directory_ / "a.h5", site); });
    EXPECT_CONTAINS(text, "a.h5: /entry/" + site + ": expected images of this site");
    EXPECT_CONTAINS(text, "found only those of xrf-1, xrt");
  }
}

TEST_F(ImageFile, DescribesUnknownFormats) {
  h5::Writer writer(directory_ / "a.h5");
  writer.dataset("/exchange/data", {1, 1, 1}, std::span<const float>(xrf_.data(), 1));
  writer.commit();
  const std::string text = error_of([&] { read_images(directory_ / "a.h5", "xrt"); });
  EXPECT_CONTAINS(text, "/entry/xrt: expected images of this site");
  EXPECT_CONTAINS(text, "/exchange/data (1, 1, 1) float32");
}

// A file with one NXdata group whose signal has this shape.
void write_signal(const std::string& path, const h5::Shape& shape) {
  const std::vector<float> values(h5::element_count(shape));
  h5::Writer writer(path);
  writer.group("/entry/xrt");
  writer.attribute("/entry/xrt", "signal", "attenuation");
  writer.dataset("/entry/xrt/attenuation", shape, std::span<const float>(values));
  writer.commit();
}

TEST_F(ImageFile, RefusesOtherShapes) {
  for (const h5::Shape& shape : {h5::Shape{5, 4}, h5::Shape{1, 2, 3, 4}, h5::Shape{0, 2, 3}}) {
    write_signal(directory_ / "a.h5", shape);
    EXPECT_CONTAINS(error_of([&] { read_images(directory_ / "a.h5", "xrt"); }),
                    "a.h5: /entry/xrt/attenuation: expected three dimensions (slice, row, column), "
                    "none of them 0, found the shape " +
                        h5::to_string(shape));
  }
}

// Before it takes memory for them.
TEST_F(ImageFile, RefusesMoreValuesThanFileHasRoomFor) {
  const std::string path = directory_ / "a.h5";
  for (const h5::Shape& shape :
       {h5::Shape{1, 100'000, 100'000}, h5::Shape{std::size_t{1} << 40, 1, 1}}) {
    {
      Hdf5Variant file(path);
      file.unwritten("/entry/xrt/attenuation", shape, {1, 1, 1});
      file.attribute("/entry/xrt", "signal", {"attenuation"}, H5T_STR_NULLPAD);
    }
    const std::string part =
        "/entry/xrt/attenuation: expected no more values than the file has room for";
    EXPECT_CONTAINS(error_of([&] { read_images(path, "xrt"); }), part);
    EXPECT_CONTAINS(error_of([&] { ImageSlices(path, "xrt"); }), part);
  }
}

TEST_F(ImageFile, RefusesGroupWithoutSignal) {
  h5::Writer writer(directory_ / "a.h5");
  writer.group("/entry/xrt");
  writer.attribute("/entry/xrt", "signal", "attenuation");
  writer.commit();
  EXPECT_CONTAINS(error_of([&] { read_images(directory_ / "a.h5", "xrt"); }),
                  "/entry/xrt/attenuation: expected a dataset, found nothing of that name");
}

TEST_F(ImageFile, ChecksSizeAgainstGrid) {
  write("a.h5");
  const auto read = [&](std::size_t rows, std::size_t columns, std::size_t slices) {
    return error_of([&] {
      read_images(directory_ / "a.h5", "xrt", {rows, columns, 1e-4}, slices);
    });
  };
  EXPECT_CONTAINS(read(kColumns, kRows, kSlices),
                  "a.h5: /entry/xrt/attenuation: expected the shape (2, 4, 3) (slice, row, column),"
                  " found (2, 3, 4)");
  EXPECT_CONTAINS(read(kRows, kColumns, 1), "expected the shape (1, 3, 4)");
}

TEST_F(ImageFile, RefusesInvalidSiteNames) {
  for (const std::string name : {"", ".", "..", "a/b", "process", "program_name"}) {
    EXPECT_FALSE(is_site_name(name));
    EXPECT_CONTAINS(error_of([&] {
                      write_images(directory_ / "a.h5", kGrid, {{name, "density", "1", &xrf_}});
                    }),
                    "found '" + name + "'");
  }
  EXPECT_TRUE(is_site_name("APS 2-ID-E, Fe K\u03b1"));
  const ImageStack stack{"xrt", "density", "1", &xrf_};
  EXPECT_CONTAINS(error_of([&] {
                    write_images(directory_ / "a.h5", kGrid, {stack, stack});
                  }),
                  "two xrt");
  EXPECT_EQ(directory_.count(), 0u);
}

TEST_F(ImageFile, KeepsOldFileWhenDiskIsFull) {
  write_text_file(directory_ / "a.h5", "old");
  for (const std::uint64_t bytes : std::vector<std::uint64_t>{100, 3000}) {
    const std::string text = error_on_full_disk(bytes, [&] { write("a.h5"); });
    EXPECT_CONTAINS(text, "a.h5: ");
    EXPECT_CONTAINS(text, "expected a file that can be written, found File too large");
    EXPECT_EQ(file_content(directory_ / "a.h5"), "old");
    EXPECT_EQ(directory_.count(), 1u);
  }
}

}  // namespace
}  // namespace firm
