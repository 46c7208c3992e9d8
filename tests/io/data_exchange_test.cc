#include "io/formats/data_exchange.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "firm/error.h"
#include "io/formats/scan.h"
#include "io/inspect/inspect.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr std::size_t kAngles = 3;
constexpr std::size_t kSlices = 2;
constexpr std::size_t kBeamlets = 4;

float value_at(std::size_t angle, std::size_t slice, std::size_t beamlet) {
  return static_cast<float>(100 * angle + 10 * slice + beamlet);
}

Acquisition example() {
  Acquisition a;
  a.title = "an example";
  a.units = "counts";
  a.note = "made by a test";
  a.theta = {0, 120.5, 60.25};
  a.beamlets = kBeamlets;
  a.spacing = 0.65e-4;
  a.rotation_axis = 2.25;
  a.data = Block(kAngles * kBeamlets, kSlices);
  a.white = Block(5 * kBeamlets, kSlices);
  a.dark = Block(2 * kBeamlets, kSlices);
  for (std::size_t t = 0; t < kAngles; ++t) {
    for (std::size_t y = 0; y < kSlices; ++y) {
      for (std::size_t x = 0; x < kBeamlets; ++x) a.data(t * kBeamlets + x, y) = value_at(t, y, x);
    }
  }
  a.white(4 * kBeamlets + 1, 1) = 7;
  a.dark(kBeamlets + 3, 0) = 8;
  return a;
}

// A file with data of the given shape and axes, whose values count up.
void write_raw(h5::Writer& writer, const h5::Shape& shape, const std::string& axes) {
  std::vector<float> values(h5::element_count(shape));
  std::iota(values.begin(), values.end(), 0.0f);
  writer.dataset("/exchange/data", shape, std::span<const float>(values));
  if (!axes.empty()) writer.attribute("/exchange/data", "axes", axes);
}

void write_theta(h5::Writer& writer, const std::vector<double>& theta) {
  writer.dataset("/exchange/theta", {theta.size()}, std::span<const double>(theta));
}

TEST(DataExchange, ReadsWhatItWrote) {
  const TemporaryDirectory directory;
  const Acquisition a = example();
  write_acquisition(directory / "a.h5", a);
  EXPECT_EQ(directory.count(), 1u);
  const Acquisition b = read_acquisition(directory / "a.h5");
  EXPECT_EQ(b.title, a.title);
  EXPECT_EQ(b.units, a.units);
  EXPECT_EQ(b.theta, a.theta);
  EXPECT_EQ(b.beamlets, a.beamlets);
  EXPECT_DOUBLE_EQ(b.spacing, a.spacing);
  EXPECT_EQ(b.rotation_axis, a.rotation_axis);
  for (const auto member : {&Acquisition::data, &Acquisition::white, &Acquisition::dark}) {
    const Block& x = a.*member;
    const Block& y = b.*member;
    ASSERT_EQ(x.rows(), y.rows());
    ASSERT_EQ(x.columns(), y.columns());
    EXPECT_TRUE(std::equal(x.values().begin(), x.values().end(), y.values().begin()));
  }
}

TEST(DataExchange, WritesThetaYX) {
  const TemporaryDirectory directory;
  write_acquisition(directory / "a.h5", example());
  const h5::Reader reader(directory / "a.h5");
  const h5::Dataset data = reader.dataset("/exchange/data");
  EXPECT_EQ(data.shape(), (h5::Shape{kAngles, kSlices, kBeamlets}));
  EXPECT_EQ(data.type_name(), "float32");
  EXPECT_EQ(data.read_all<float>()[(2 * kSlices + 1) * kBeamlets + 3], value_at(2, 1, 3));
  EXPECT_EQ(reader.text_attribute("/exchange/data", "axes"), "theta:y:x");
  EXPECT_EQ(reader.text_attribute("/exchange/data", "units"), "counts");
  EXPECT_EQ(reader.dataset("/exchange/theta").type_name(), "float64");
  EXPECT_EQ(reader.text_attribute("/exchange/theta", "units"), "degrees");
  EXPECT_EQ(reader.text("/process/program/name"), "firm");
}

TEST(DataExchange, ReadsSinogramOrder) {
  const TemporaryDirectory directory;
  {
    h5::Writer writer(directory / "a.h5");
    write_raw(writer, {kSlices, kAngles, kBeamlets}, "y:theta:x");
    write_theta(writer, {0, 1, 2});
    writer.commit();
  }
  const Acquisition a = read_acquisition(directory / "a.h5");
  ASSERT_EQ(a.data.columns(), kSlices);
  ASSERT_EQ(a.data.rows(), kAngles * kBeamlets);
  // Stored at (y = 1, theta = 2, x = 3).
  EXPECT_EQ(a.data(2 * kBeamlets + 3, 1), (1 * 3 + 2) * 4 + 3);
  const Scan file = open_scan(directory / "a.h5");
  EXPECT_EQ(file.data->read({1, 1, 0, 2}), (std::vector<float>{4, 5, 6, 7, 16, 17, 18, 19}));
}

TEST(DataExchange, DefaultsToThetaYX) {
  const TemporaryDirectory directory;
  {
    h5::Writer writer(directory / "a.h5");
    write_raw(writer, {kAngles, kSlices, kBeamlets}, "");
    write_theta(writer, {0, 1, 2});
    writer.commit();
  }
  const Acquisition a = read_acquisition(directory / "a.h5");
  EXPECT_EQ(a.data(2 * kBeamlets + 3, 1), (2 * 2 + 1) * 4 + 3);
  EXPECT_EQ(a.rotation_axis, 2);  // default: the middle
  EXPECT_EQ(a.spacing, 0);
}

TEST(DataExchange, RefusesOtherAxes) {
  const TemporaryDirectory directory;
  {
    h5::Writer writer(directory / "a.h5");
    write_raw(writer, {2, 3, 4}, "x:y:theta");
    write_theta(writer, {0, 1, 2, 3});
    writer.commit();
  }
  const std::string text = error_of([&] { open_scan(directory / "a.h5"); });
  EXPECT_CONTAINS(text, "a.h5: /exchange/data@axes");
  EXPECT_CONTAINS(text, "found x:y:theta");
}

TEST(DataExchange, FallsBackToTheRotationOfTheScan) {
  const TemporaryDirectory directory;
  for (const double count : {3.0, 5.0}) {
    h5::Writer writer(directory / "a.h5");
    write_raw(writer, {3, 2, 4}, "");
    writer.number("/process/acquisition/rotation/rotation_start", -10, "degrees");
    writer.number("/process/acquisition/rotation/rotation_step", 0.5, "degrees");
    const std::vector<double> in_an_array = {count};
    writer.dataset("/process/acquisition/rotation/num_angles", {1},
                   std::span<const double>(in_an_array));
    writer.commit();
    if (count == 3) {
      EXPECT_EQ(read_acquisition(directory / "a.h5").theta, (std::vector<double>{-10, -9.5, -9}));
    } else {
      const std::string text = error_of([&] { read_acquisition(directory / "a.h5"); });
      EXPECT_CONTAINS(text, "expected 3 angles");
      EXPECT_CONTAINS(text, "found 5");
    }
  }
}

TEST(DataExchange, ConvertsTheUnitOfTheRotation) {
  const TemporaryDirectory directory;
  const auto write = [&](const std::string& units) {
    h5::Writer writer(directory / "a.h5");
    write_raw(writer, {3, 2, 4}, "");
    writer.number("/process/acquisition/rotation/rotation_start", 1, "degrees");
    writer.number("/process/acquisition/rotation/rotation_step", 0.5, units);
    writer.number("/process/acquisition/rotation/num_angles", 3, "1");
    writer.commit();
  };
  write("rad");
  EXPECT_NEAR(read_acquisition(directory / "a.h5").theta[1], 1 + 28.64788975654116, 1e-12);
  write("turns");
  EXPECT_CONTAINS(error_of([&] { read_acquisition(directory / "a.h5"); }),
                  "rotation_step@units: expected degrees or radians, found turns");
}

TEST(DataExchange, IgnoresSpacingOfUnknownUnit) {
  const TemporaryDirectory directory;
  const auto spacing = [&](const std::string& units) {
    h5::Writer writer(directory / "a.h5");
    write_raw(writer, {2, 2, 4}, "");
    write_theta(writer, {0, 1});
    writer.number("/measurement/instrument/detector/actual_pixel_size_x", 2, units);
    writer.commit();
    return open_scan(directory / "a.h5");
  };
  for (const char* units : {"um", "micrometre", "micrometers", "microns", "micron", "\u00b5m"}) {
    EXPECT_DOUBLE_EQ(spacing(units).spacing.value_or(0), 2e-4) << units;
    EXPECT_EQ(spacing(units).spacing_warning, "");
  }
  EXPECT_DOUBLE_EQ(spacing("millimetres").spacing.value_or(0), 0.2);
  EXPECT_FALSE(spacing("furlongs").spacing);
  EXPECT_CONTAINS(spacing("furlongs").spacing_warning, "its unit \"furlongs\" is none of nm, um");
  EXPECT_CONTAINS(inspect_file(directory / "a.h5").warnings.at(0), "furlongs");
  EXPECT_CONTAINS(spacing("").spacing_warning, "it has no unit");
}

TEST(DataExchange, IgnoresEmptyWhiteAndDark) {
  const TemporaryDirectory directory;
  h5::Writer writer(directory / "a.h5");
  write_raw(writer, {2, 2, 4}, "");
  write_theta(writer, {0, 1});
  writer.dataset("/exchange/data_dark", {0, 2, 4}, std::span<const float>());
  writer.commit();
  EXPECT_FALSE(open_scan(directory / "a.h5").dark);
}

TEST(DataExchange, DoesNotGuessAngles) {
  const TemporaryDirectory directory;
  {
    h5::Writer writer(directory / "a.h5");
    write_raw(writer, {3, 2, 4}, "");
    writer.commit();
  }
  const std::string text = error_of([&] { read_acquisition(directory / "a.h5"); });
  EXPECT_CONTAINS(text, "/exchange/theta: expected 3 angles");
}

TEST(DataExchange, ConvertsRadiansAndRefusesOtherUnits) {
  const TemporaryDirectory directory;
  for (const std::string units : {"radians", "furlongs"}) {
    h5::Writer writer(directory / "a.h5");
    write_raw(writer, {2, 2, 4}, "");
    write_theta(writer, {0, 1});
    writer.attribute("/exchange/theta", "units", units);
    writer.commit();
    if (units == "radians") {
      EXPECT_NEAR(read_acquisition(directory / "a.h5").theta[1], 57.29577951308232, 1e-12);
    } else {
      EXPECT_CONTAINS(error_of([&] { read_acquisition(directory / "a.h5"); }), "furlongs");
    }
  }
}

TEST(DataExchange, RefusesWrongShapes) {
  const TemporaryDirectory directory;
  {
    h5::Writer writer(directory / "flat.h5");
    write_raw(writer, {3, 4}, "");
    write_theta(writer, {0, 1, 2});
    writer.commit();
  }
  EXPECT_CONTAINS(error_of([&] { read_acquisition(directory / "flat.h5"); }), "(3, 4)");
  {
    h5::Writer writer(directory / "white.h5");
    write_raw(writer, {3, 2, 4}, "");
    write_theta(writer, {0, 1, 2});
    const std::vector<float> white(10);
    writer.dataset("/exchange/data_white", {1, 2, 5}, std::span<const float>(white));
    writer.commit();
  }
  const std::string text = error_of([&] { read_acquisition(directory / "white.h5"); });
  EXPECT_CONTAINS(text, "/exchange/data_white");
  EXPECT_CONTAINS(text, "expected frames of 2 x 4");
  EXPECT_CONTAINS(text, "found 2 x 5");
}

TEST(DataExchange, RefusesTextInsteadOfNumbers) {
  const TemporaryDirectory directory;
  {
    h5::Writer writer(directory / "a.h5");
    write_raw(writer, {1, 1, 4}, "");
    writer.text("/exchange/theta", "zero");
    writer.commit();
  }
  const std::string text = error_of([&] { read_acquisition(directory / "a.h5"); });
  EXPECT_CONTAINS(text, "/exchange/theta: expected numbers, found string");
}

TEST(DataExchange, DescribesUnknownFormats) {
  const TemporaryDirectory directory;
  {
    h5::Writer writer(directory / "a.nxs");
    writer.group("/entry1");
    writer.attribute("/entry1", "NX_class", "NXentry");
    const std::vector<float> values(6);
    writer.dataset("/entry1/data/data", {2, 3}, std::span<const float>(values));
    writer.commit();
  }
  const std::string text = error_of([&] { read_acquisition(directory / "a.nxs"); });
  EXPECT_CONTAINS(text, "expected a file of Data Exchange");
  EXPECT_CONTAINS(text, "NeXus");
  EXPECT_CONTAINS(text, "/entry1/data/data (2, 3) float32");
}

TEST(DataExchange, RefusesATruncatedFile) {
  const TemporaryDirectory directory;
  write_acquisition(directory / "a.h5", example());
  const auto size = std::filesystem::file_size(directory / "a.h5");
  for (const auto kept : {size - 1, size / 2, std::uintmax_t{600}, std::uintmax_t{10}}) {
    write_acquisition(directory / "a.h5", example());
    std::filesystem::resize_file(directory / "a.h5", kept);
    EXPECT_THROW(read_acquisition(directory / "a.h5"), Error) << kept;
    EXPECT_CONTAINS(error_of([&] { read_acquisition(directory / "a.h5"); }), "a.h5");
  }
}

TEST(DataExchange, WritesAllOrNothing) {
  const TemporaryDirectory directory;
  {
    h5::Writer writer(directory / "a.h5");
    write_raw(writer, {3, 2, 4}, "");
  }
  EXPECT_EQ(directory.count(), 0u);
  write_text_file(directory / "plain", "");
  const std::string text =
      error_of([&] { write_acquisition(directory / "plain/a.h5", example()); });
  EXPECT_CONTAINS(text, "plain/a.h5");
  EXPECT_CONTAINS(text, "Not a directory");
  EXPECT_CONTAINS(error_of([&] { write_acquisition(directory / "none/a.h5", example()); }),
                  "No such file or directory");
}

TEST(DataExchange, WritesEqualBytesForEqualData) {
  const TemporaryDirectory directory;
  write_acquisition(directory / "a.h5", example());
  write_acquisition(directory / "b.h5", example());
  EXPECT_EQ(file_content(directory / "a.h5"), file_content(directory / "b.h5"));
}

}  // namespace
}  // namespace firm
