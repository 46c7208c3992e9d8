#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "firm/error.h"
#include "io/formats/data_exchange.h"
#include "io/hdf5/hdf5.h"
#include "prep/study_data.h"
#include "sim/simulate.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

SimulateOptions small() {
  SimulateOptions o;
  o.preset = "elements";
  o.size = 16;
  o.angles = 5;
  o.slices = 2;
  o.pixel_size = 10e-4;
  return o;
}

bool equal(const Block& a, const Block& b) {
  return a.rows() == b.rows() && a.columns() == b.columns() &&
         std::ranges::equal(a.values(), b.values());
}

double largest_difference(const Block& a, const Block& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    most = std::max(most, std::abs(static_cast<double>(a.data()[k]) - b.data()[k]));
  }
  return most;
}

// A simulated study in its own directory, whose files tests may damage.
class LoadStudy : public testing::Test {
 protected:
  void SetUp() override { make(small()); }

  void make(const SimulateOptions& options) {
    simulation_ = simulate(options);
    write_simulation(simulation_, directory_.path());
    file_ = read_study(path());
  }
  void make_counts() {
    SimulateOptions o = small();
    o.counts = 1e6;
    make(o);
  }

  std::string path() const { return directory_ / "study.toml"; }
  LoadedStudy load() const { return StudyData(file_, path()).load(all_slices(file_)); }

  template <typename Change>
  void change_data(const std::string& name, const Change& change) {
    Acquisition a = read_acquisition(directory_ / name);
    change(a);
    write_acquisition(directory_ / name, a);
  }

  // Expects an error with exit code 3 that names the file and the dataset, and contains all
  // `words`.
  void expect_refused(const std::string& name, const std::string& field,
                      const std::vector<std::string>& words) const {
    try {
      load();
      ADD_FAILURE() << "no error about " << field << " of " << name;
    } catch (const Error& e) {
      const std::string text = e.what();
      EXPECT_EQ(e.exit_code(), 3);
      const std::string start = (directory_ / name) + ": " + (field.empty() ? "" : field + ": ");
      EXPECT_EQ(text.substr(0, text.find("expected ")), start) << text;
      for (const std::string& word : words) EXPECT_CONTAINS(text, word);
      EXPECT_CONTAINS(text, ", found ");
    }
  }

  TemporaryDirectory directory_;
  Simulation simulation_;
  StudyFile file_;
};

// Slices have the same values whether some or all of them are loaded.
TEST_F(LoadStudy, ReadsSomeSlices) {
  SimulateOptions o = small();
  o.slices = 5;
  o.counts = 1e6;
  make(o);
  const LoadedStudy all = load();
  const LoadedStudy some = StudyData(file_, path()).load({1, 3});
  EXPECT_EQ(some.study.slices, 3u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Block& found = some.data[i].values;
    ASSERT_EQ(found.rows(), all.data[i].values.rows());
    ASSERT_EQ(found.columns(), 3u);
    for (std::size_t row = 0; row < found.rows(); ++row) {
      for (std::size_t z = 0; z < 3; ++z) {
        ASSERT_EQ(found(row, z), all.data[i].values(row, 1 + z)) << i;
      }
    }
  }
}

TEST_F(LoadStudy, NumbersSlicesInTheWholeStudy) {
  SimulateOptions o = small();
  o.slices = 5;
  make(o);
  change_data("xrf-2.h5", [](Acquisition& a) { a.data(7, 3) = kNan; });
  EXPECT_NO_THROW(StudyData(file_, path()).load({0, 3}));
  EXPECT_CONTAINS(error_of([&] { StudyData(file_, path()).load({2, 2}); }), "in slice 3, angle 0");
}

TEST_F(LoadStudy, EstimatesNoiseOfSitesWithoutSigmaBesideOthers) {
  file_.sites[1].sigma = 0.5;
  const LoadedStudy loaded = load();
  for (std::size_t i = 0; i < 4; ++i) {
    const Site& site = loaded.study.sites[i];
    EXPECT_EQ(site.noise_source, i == 1 ? NoiseSource::kGiven : NoiseSource::kEstimated) << i;
    EXPECT_EQ(site.sigma == 0.5, i == 1) << i;
    EXPECT_NE(site.sigma, 1) << i;
  }
  EXPECT_CONTAINS(StudyData(file_, path()).noise_warning(),
                  "sigma is given for xrf-2, but not for xrf-1, xrf-3, xrt");
}

TEST_F(LoadStudy, ReturnsSimulatedValues) {
  for (SiteEntry& site : file_.sites) site.sigma = site.name == "xrf-2" ? 0.5 : 0.25;
  file_.other = true;
  const LoadedStudy loaded = load();
  const Study& s = loaded.study;
  EXPECT_EQ(s.name, "elements");
  EXPECT_EQ(s.image_rows, 16);
  EXPECT_EQ(s.image_columns, 16);
  EXPECT_DOUBLE_EQ(s.pixel_size, 10e-4);
  EXPECT_EQ(s.slices, 2u);
  EXPECT_TRUE(s.other);
  ASSERT_EQ(s.sites.size(), 4u);
  ASSERT_EQ(loaded.data.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(s.sites[i].name, simulation_.sites[i].name);
    EXPECT_EQ(s.sites[i].kind, i < 3 ? SiteKind::kXrf : SiteKind::kXrt);
    EXPECT_EQ(s.sites[i].coefficient, simulation_.sites[i].coefficient);
    EXPECT_EQ(s.sites[i].sigma, i == 1 ? 0.5 : 0.25);
    EXPECT_EQ(loaded.data[i].site, i);
    EXPECT_TRUE(equal(loaded.data[i].values, simulation_.sites[i].data));
  }
}

TEST_F(LoadStudy, ReturnsTheGeometryOfTheSimulation) {
  const LoadedStudy loaded = load();
  EXPECT_TRUE(loaded.study.common_geometry());
  const Geometry& g = loaded.study.xrt().geometry;
  const Geometry& expected = simulation_.geometry;
  EXPECT_EQ(g.image_rows, expected.image_rows);
  EXPECT_EQ(g.image_columns, expected.image_columns);
  EXPECT_DOUBLE_EQ(g.pixel_size, expected.pixel_size);
  EXPECT_EQ(g.beamlets, expected.beamlets);
  EXPECT_DOUBLE_EQ(g.spacing, expected.spacing);
  EXPECT_EQ(g.rotation_axis, expected.rotation_axis);
  ASSERT_EQ(g.angles.size(), expected.angles.size());
  for (std::size_t k = 0; k < g.angles.size(); ++k) {
    EXPECT_NEAR(g.angles[k], expected.angles[k], 1e-14);
  }
}

TEST_F(LoadStudy, PutsXrtLast) {
  std::rotate(file_.sites.begin(), file_.sites.end() - 1, file_.sites.end());
  ASSERT_EQ(file_.sites.front().kind, "xrt");
  const LoadedStudy loaded = load();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(loaded.study.sites[i].name, simulation_.sites[i].name);
    EXPECT_TRUE(equal(loaded.data[i].values, simulation_.sites[i].data));
  }
}

TEST_F(LoadStudy, FindsFilesRelativeToTheStudy) {
  std::filesystem::create_directory(directory_ / "data");
  std::filesystem::rename(directory_ / "xrt.h5", directory_ / "data/xrt.h5");
  file_.sites[3].data = "data/xrt.h5";
  EXPECT_EQ(load().data.size(), 4u);
  file_.sites[3].data = directory_ / "data/xrt.h5";
  EXPECT_EQ(load().data.size(), 4u);
}

TEST_F(LoadStudy, PrefersSpacingAndAxisOfTheStudy) {
  file_.sites[0].spacing.reset();
  file_.sites[0].rotation_axis.reset();
  EXPECT_TRUE(load().study.common_geometry());
  change_data("xrf-1.h5", [](Acquisition& a) {
    a.spacing = 20e-4;
    a.rotation_axis = 9.25;
  });
  const Geometry from_file = load().study.sites[0].geometry;
  EXPECT_DOUBLE_EQ(from_file.spacing, 20e-4);
  EXPECT_EQ(from_file.rotation_axis, 9.25);
  file_.sites[0].spacing = 5e-4;
  file_.sites[0].rotation_axis = 10;
  const Geometry from_study = load().study.sites[0].geometry;
  EXPECT_EQ(from_study.spacing, 5e-4);
  EXPECT_EQ(from_study.rotation_axis, 10);
}

TEST_F(LoadStudy, FallsBackToThePixelSizeAndTheMiddle) {
  const std::vector<float> values(3 * 2 * 7, 1.0f);
  const std::vector<double> theta = {0, 90, 200};
  h5::Writer writer(directory_ / "xrf-1.h5");
  writer.dataset("/exchange/data", {3, 2, 7}, std::span<const float>(values));
  writer.dataset("/exchange/theta", {3}, std::span<const double>(theta));
  writer.commit();
  file_.sites[0].spacing.reset();
  file_.sites[0].rotation_axis.reset();
  const LoadedStudy loaded = load();
  const Geometry& g = loaded.study.sites[0].geometry;
  EXPECT_EQ(g.spacing, file_.pixel_size);
  EXPECT_EQ(g.rotation_axis, 3.5);
  EXPECT_EQ(g.beamlets, 7);
  EXPECT_NEAR(g.angles[2], 200 * std::acos(-1.0) / 180, 1e-14);
  EXPECT_FALSE(loaded.study.common_geometry());
}

TEST_F(LoadStudy, LoadsOneSiteWithoutTheFilesOfOthers) {
  for (const char* name : {"xrf-1.h5", "xrf-3.h5", "xrt.h5"}) {
    std::filesystem::remove(directory_ / name);
  }
  StudyData data(file_, path());
  EXPECT_TRUE(
      equal(data.prepare("xrf-2", all_slices(file_)).data.values, simulation_.sites[1].data));
  EXPECT_EQ(data.site("xrf-2").geometry.beamlets, simulation_.geometry.beamlets);
  EXPECT_EQ(data.site("xrf-2").name, "xrf-2");
  EXPECT_THROW(load(), Error);
}

TEST_F(LoadStudy, AcceptsASiteWithoutSignal) {
  change_data("xrf-1.h5", [](Acquisition& a) { std::ranges::fill(a.data.values(), 0.0f); });
  EXPECT_EQ(load().data[0].values(3, 1), 0.0f);
}

TEST_F(LoadStudy, TakesTheLogarithmOfCounts) {
  const Block clean = simulation_.sites[3].data;
  make_counts();
  ASSERT_TRUE(file_.sites[3].prepare.minus_log);
  const LoadedStudy loaded = load();
  ASSERT_EQ(loaded.data[3].values.rows(), clean.rows());
  EXPECT_LT(largest_difference(loaded.data[3].values, clean), 0.01);
  EXPECT_TRUE(equal(loaded.data[0].values, simulation_.sites[0].data));
}

// Two beamlets, two slices, two angles; every number differs.
Acquisition by_hand() {
  Acquisition a;
  a.units = "counts";
  a.theta = {0, 90};
  a.beamlets = 2;
  a.spacing = 10e-4;
  a.rotation_axis = 1;
  a.data = Block(4, 2);
  a.white = Block(4, 2);
  a.dark = Block(6, 2);
  for (std::size_t k = 0; k < 8; ++k) {
    a.data.data()[k] = static_cast<float>(100 + 10 * k);
    a.white.data()[k] = static_cast<float>(1000 + 7 * k * k);
  }
  for (std::size_t k = 0; k < 12; ++k) a.dark.data()[k] = static_cast<float>(k * k);
  return a;
}

TEST_F(LoadStudy, AveragesWhiteAndDarkOfEachBeamletAndSlice) {
  Acquisition a = by_hand();
  file_.sites[3].prepare.minus_log = true;
  for (const bool with_dark : {true, false}) {
    if (!with_dark) a.dark = Block();
    write_acquisition(directory_ / "xrt.h5", a);
    const Block b = StudyData(file_, path()).prepare("xrt", all_slices(file_)).data.values;
    for (std::size_t row = 0; row < 4; ++row) {
      for (std::size_t slice = 0; slice < 2; ++slice) {
        const std::size_t x = row % 2;
        const double white = (static_cast<double>(a.white(x, slice)) + a.white(2 + x, slice)) / 2;
        const double dark = with_dark ? (static_cast<double>(a.dark(x, slice)) +
                                         a.dark(2 + x, slice) + a.dark(4 + x, slice)) /
                                            3
                                      : 0;
        const double expected = -std::log((a.data(row, slice) - dark) / (white - dark));
        EXPECT_FLOAT_EQ(b(row, slice), static_cast<float>(expected));
      }
    }
  }
}

TEST_F(LoadStudy, RefusesAMissingFile) {
  std::filesystem::remove(directory_ / "xrf-2.h5");
  const std::string line = path() + ":" + std::to_string(file_.sites[1].line);
  expect_refused("xrf-2.h5", "", {"the data of site xrf-2 of " + line, "found no such file"});
}

TEST_F(LoadStudy, RefusesOtherFiles) {
  write_text_file(directory_ / "xrf-2.h5", "not HDF5");
  expect_refused("xrf-2.h5", "", {"HDF5", "another format"});
}

TEST_F(LoadStudy, RefusesTruncatedFiles) {
  const std::string name = directory_ / "xrf-2.h5";
  const auto size = std::filesystem::file_size(name);
  for (const auto part : {size - 1, size * 3 / 4, size / 2, size / 8}) {
    std::filesystem::resize_file(name, part);
    expect_refused("xrf-2.h5", "", {"HDF5"});
  }
}

TEST_F(LoadStudy, RefusesAnotherNumberOfSlices) {
  file_.slices = 3;
  expect_refused("xrf-1.h5", "/exchange/data", {"3 slices as in [image] of " + path(), "found 2"});
}

TEST_F(LoadStudy, RefusesValuesThatAreNotFinite) {
  const std::size_t beamlets = static_cast<std::size_t>(simulation_.geometry.beamlets);
  change_data("xrf-3.h5", [&](Acquisition& a) {
    a.data(2 * beamlets + 4, 1) = kNan;
    a.data(3 * beamlets, 0) = std::numeric_limits<float>::infinity();
    a.data(4 * beamlets, 0) = -std::numeric_limits<float>::infinity();
  });
  expect_refused("xrf-3.h5", "/exchange/data",
                 {"finite values", "3 NaN or infinite values",
                  "the first nan in slice 1, angle 2, beamlet 4"});
}

TEST_F(LoadStudy, RefusesWhiteAndDarkFramesThatAreNotFinite) {
  make_counts();
  const std::size_t beamlets = static_cast<std::size_t>(simulation_.geometry.beamlets);
  change_data("xrt.h5", [&](Acquisition& a) { a.white(9 * beamlets + 2, 1) = kNan; });
  expect_refused("xrt.h5", "/exchange/data_white", {"nan in slice 1, frame 9, beamlet 2"});
  change_data("xrt.h5", [&](Acquisition& a) { a.dark(3 * beamlets + 1, 0) = kNan; });
  expect_refused("xrt.h5", "/exchange/data_dark", {"nan in slice 0, frame 3, beamlet 1"});
}

TEST_F(LoadStudy, RefusesAnglesThatAreNotFinite) {
  change_data("xrf-1.h5", [](Acquisition& a) { a.theta[2] = NAN; });
  expect_refused("xrf-1.h5", "/exchange/theta", {"finite angles", "nan at angle 2"});
}

TEST_F(LoadStudy, RefusesInvalidSpacingAndAxis) {
  change_data("xrf-1.h5", [](Acquisition& a) { a.spacing = -1e-4; });
  EXPECT_EQ(load().data.size(), 4u);  // the study gives both
  file_.sites[0].spacing.reset();
  expect_refused("xrf-1.h5", "/measurement/instrument/detector/actual_pixel_size_x",
                 {"a positive length", "-0.0001 cm"});
  file_.sites[0].spacing = 1e-4;
  file_.sites[0].rotation_axis.reset();
  change_data("xrf-1.h5", [](Acquisition& a) { a.rotation_axis = NAN; });
  expect_refused("xrf-1.h5", "/process/acquisition/rotation/rotation_axis", {"found nan"});
}

TEST_F(LoadStudy, RefusesCountsWithoutALogarithm) {
  make_counts();
  file_.sites[3].prepare.minus_log = false;
  expect_refused("xrt.h5", "/exchange/data@units",
                 {"\"1\", because minus_log = false", "\"counts\"",
                  "set minus_log = true for site xrt of " + path() + ":"});
}

TEST_F(LoadStudy, RefusesASecondLogarithm) {
  file_.sites[3].prepare.minus_log = true;
  expect_refused("xrt.h5", "/exchange/data@units",
                 {"\"counts\", because minus_log = true", "\"1\"",
                  "set minus_log = false for site xrt of " + path() + ":"});
}

TEST_F(LoadStudy, RefusesCountsWithoutWhiteFrames) {
  make_counts();
  change_data("xrt.h5", [](Acquisition& a) { a.white = Block(); });
  expect_refused("xrt.h5", "/exchange/data_white", {"because minus_log = true", "found none"});
}

TEST_F(LoadStudy, RefusesABeamThatIsNotAboveDark) {
  Acquisition a = by_hand();
  file_.sites[3].prepare.minus_log = true;
  a.white(0, 1) = a.white(2, 1) = 0;
  write_acquisition(directory_ / "xrt.h5", a);
  expect_refused("xrt.h5", "/exchange/data_white",
                 {"white above dark", "1 differences that are not positive", "slice 1",
                  "mean frame 0, beamlet 0"});
}

TEST_F(LoadStudy, RefusesATransmissionThatIsNotPositive) {
  Acquisition a = by_hand();
  file_.sites[3].prepare.minus_log = true;
  a.data(2, 1) = 3;  // the dark frames are 1, 25 and 81 there
  a.data(3, 0) = -5;
  write_acquisition(directory_ / "xrt.h5", a);
  expect_refused("xrt.h5", "/exchange/data",
                 {"a positive transmission (data - dark) / (white - dark)", "2 values that are not",
                  "the first -0.0", "in slice 1, angle 1, beamlet 0"});
}

TEST_F(LoadStudy, RefusesInvalidStudies) {
  file_.sites.pop_back();
  EXPECT_CONTAINS(error_of([&] { load(); }), "XRT");
}

}  // namespace
}  // namespace firm
