// HDF5 features that other programs use, and files with misleading names.
#include "io/hdf5_variants.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "io/inspect/inspect.h"
#include "support/map_files.h"
#include "support/prepare_site.h"
#include "support/temporary_directory.h"
#include "support/tiff_pages.h"

namespace firm {
namespace {

class Hdf5VariantTest : public ::testing::Test {
 protected:
  static std::vector<double> counting(std::size_t count, double first = 0) {
    std::vector<double> values(count);
    for (std::size_t k = 0; k < count; ++k) values[k] = first + static_cast<double>(k);
    return values;
  }
  static void put_data(Hdf5Variant& file, const Hdf5Variant::Storage& storage) {
    file.numbers("/exchange/data", {kAngles, kSlices, kBeamlets},
                 counting(kAngles * kSlices * kBeamlets), storage);
    file.numbers("/exchange/theta", {kAngles}, {0, 45, 90, 135}, {.type = H5T_IEEE_F64BE});
  }

  TemporaryDirectory directory_;
};

TEST_F(Hdf5VariantTest, ReadsCompressedBigEndianChunks) {
  const std::string path = directory_ / "a.h5";
  for (const h5::Shape& chunk : {h5::Shape{1, 1, 3}, h5::Shape{3, 2, 2}, h5::Shape{4, 2, 3}}) {
    for (const hid_t type : {H5T_STD_I16BE, H5T_STD_U32LE, H5T_IEEE_F64BE, H5T_STD_U8LE}) {
      {
        Hdf5Variant file(path);
        put_data(file, {type, chunk, 6});
      }
      const Scan scan = open_scan(path);
      expect_counted(*scan.data);
      EXPECT_EQ(scan.theta, (std::vector<double>{0, 45, 90, 135}));
      EXPECT_EQ(inspect_file(path).fields[0].values.max, 23);
    }
  }
}

TEST_F(Hdf5VariantTest, ReadsFixedLengthTexts) {
  const std::string path = directory_ / "a.h5";
  for (const H5T_str_t padding : {H5T_STR_SPACEPAD, H5T_STR_NULLPAD}) {
    {
      Hdf5Variant file(path);
      put_data(file, {});
      file.texts("/exchange/title", {"a title"}, padding);
      file.attribute("/exchange/data", "units", {"ug/cm^2"}, padding);
      file.attribute("/exchange/data", "axes", {"theta", "y", "x"}, padding);
      file.attribute("/exchange/theta", "units", {"rad"}, padding);
    }
    const Scan scan = open_scan(path);
    EXPECT_EQ(scan.title, "a title");
    EXPECT_EQ(scan.data->facts().units, "ug/cm^2");
    EXPECT_EQ(scan.data->facts().axes, "theta:y:x");
    EXPECT_NEAR(scan.theta[1], 45 * 57.29577951308232, 1e-9);
    expect_counted(*scan.data);
  }
}

TEST_F(Hdf5VariantTest, ReadsFixedLengthElementNames) {
  const std::string path = directory_ / "a.h5";
  for (const H5T_str_t padding : {H5T_STR_SPACEPAD, H5T_STR_NULLPAD}) {
    {
      Hdf5Variant file(path);
      file.numbers("/data", {2, kAngles, kSlices, kBeamlets}, counting(48),
                   {H5T_IEEE_F32BE, {1, 1, 2, 3}, 1});
      file.texts("/elements", {"Ca", "Fe"}, padding);
      file.numbers("/thetas", {kAngles}, {0, 45, 90, 135}, {});
    }
    EXPECT_EQ(open_scan(path, {"Fe"}).elements, (std::vector<std::string>{"Ca", "Fe"}));
    expect_counted(*open_scan(path, {"Fe"}).data, 24);
  }
}

// Diamond and ESRF write frames to several files, and join them in a virtual dataset.
TEST_F(Hdf5VariantTest, ReportsMissingSourceOfVirtualDataset) {
  constexpr std::size_t kWide = 30;
  const std::string path = directory_ / "a.h5";
  for (const char* part : {"one.h5", "two.h5"}) {
    Hdf5Variant file(directory_ / part);
    file.numbers("/data", {2, 1, kWide}, counting(2 * kWide, 1), {});
  }
  {
    Hdf5Variant file(path);
    file.made_of("/exchange/data", {4, 1, kWide}, {"one.h5", directory_ / "two.h5"}, 2);
    file.attribute("/exchange/data", "units", {"g/cm^2"}, H5T_STR_NULLPAD);
    file.numbers("/exchange/theta", {4}, {0, 45, 90, 135}, {});
  }
  StudyFile study;
  study.rows = study.columns = 30;
  study.slices = 1;
  study.pixel_size = 1e-4;
  SiteEntry site;
  site.name = "xrf";
  site.kind = "xrf";
  site.data = "a.h5";
  site.external_files = true;
  const ScanRequest request{.external_files = true};
  const auto prepare = [&] { return prepare_all_slices(study, site, directory_ / "study.toml"); };
  EXPECT_EQ(prepare().data.values(2 * kWide, 0), 1.0f);
  EXPECT_TRUE(inspect_file(path, request).missing.empty());
  std::filesystem::remove(directory_ / "two.h5");
  EXPECT_EQ(inspect_file(path, request).missing, (std::vector<std::size_t>{2, 3}));
  EXPECT_CONTAINS(error_of(prepare), "2 of 4 frames are 0 throughout, the first that of angle 2");
  site.prepare.bad_values = "mask";
  EXPECT_EQ(prepare().report.missing, 2 * kWide);
}

TEST_F(Hdf5VariantTest, RecognisesFormatByContent) {
  const std::string angles = write_angles(directory_ / "angles.txt");
  write_counted_pages<std::uint16_t>(directory_ / "tiff.h5", {});
  expect_counted(*open_scan(directory_ / "tiff.h5", {.angles = angles}).data);
  std::string values;
  for (const double value : counting(24)) values += bytes_of(static_cast<float>(value));
  write_bytes(directory_ / "npy.tif", npy(1, npy_header("<f4", "(4, 2, 3)"), values));
  expect_counted(*open_scan(directory_ / "npy.tif", {.angles = angles}).data);
  {
    Hdf5Variant file(directory_ / "hdf5.npy");
    put_data(file, {});
  }
  expect_counted(*open_scan(directory_ / "hdf5.npy").data);
  // Also the files of a folder.
  make_directory(directory_ / "maps");
  for (std::size_t a = 0; a < kAngles; ++a) {
    MapsFile m;
    m.theta = static_cast<double>(a);
    write_maps_file(numbered(directory_ / "maps/", a, ".tif"), a, m);
  }
  expect_counted(*open_scan(directory_ / "maps", {"Fe"}).data, first_value(1));
  // A file of unknown format.
  write_bytes(directory_ / "text.h5", "not at all\n");
  EXPECT_CONTAINS(error_of([&] { open_scan(directory_ / "text.h5"); }), "a file of another format");
}

}  // namespace
}  // namespace firm
