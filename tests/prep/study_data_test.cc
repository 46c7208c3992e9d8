#include "prep/study_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "firm/error.h"
#include "io/formats/data_exchange.h"
#include "sim/simulate.h"
#include "support/file_opens.h"
#include "support/temporary_directory.h"
#include "support/tiff_pages.h"

namespace firm {
namespace {

constexpr std::size_t kStudySlices = 5;

// Three XRF sites, in an HDF5 file, a .npy and a TIFF with many pages, and an XRT site with counts.
class StudyDataTest : public testing::Test {
 protected:
  void SetUp() override {
    SimulateOptions o;
    o.preset = "elements";
    o.size = 16;
    o.angles = 9;
    o.slices = kStudySlices;
    o.pixel_size = 10e-4;
    o.counts = 1e6;
    simulation_ = simulate(o);
    write_simulation(simulation_, directory_.path());
    file_ = read_study(path());
    write_npy("xrf-2.npy", simulation_.sites[1].data);
    write_tiff_pages("xrf-3.tif", simulation_.sites[2].data);
    write_angle_file();
    use(file_.sites[1], "xrf-2.npy");
    use(file_.sites[2], "xrf-3.tif");
    file_.sites[0].noise = file_.sites[3].noise = Noise::kEstimated;
    file_.sites[3].find_rotation_axis = true;
  }

  void use(SiteEntry& entry, const std::string& data) {
    entry.data = data;
    entry.angles = "angles.txt";
    entry.noise = Noise::kEstimated;
    entry.prepare.scale = 1;
  }
  std::vector<float> frame(const Block& data, std::size_t angle) const {
    std::vector<float> values;
    const auto beamlets = static_cast<std::size_t>(simulation_.geometry.beamlets);
    for (std::size_t y = 0; y < kStudySlices; ++y) {
      for (std::size_t x = 0; x < beamlets; ++x) values.push_back(data(angle * beamlets + x, y));
    }
    return values;
  }
  void write_npy(const std::string& name, const Block& data) {
    const Geometry& g = simulation_.geometry;
    std::string bytes;
    for (std::size_t a = 0; a < g.angles.size(); ++a) {
      for (const float value : frame(data, a)) bytes += bytes_of(value);
    }
    const std::string shape =
        fmt::format("({}, {}, {})", g.angles.size(), kStudySlices, g.beamlets);
    write_bytes(directory_ / name, npy(1, npy_header("<f4", shape), bytes));
  }
  void write_tiff_pages(const std::string& name, const Block& data) {
    const Geometry& g = simulation_.geometry;
    TiffKind kind;
    kind.format = SAMPLEFORMAT_IEEEFP;
    TiffWriter<float> writer(directory_ / name, kind);
    for (std::size_t a = 0; a < g.angles.size(); ++a) {
      writer.page(kStudySlices, static_cast<std::size_t>(g.beamlets), frame(data, a));
    }
  }
  void write_angle_file() {
    std::string text;
    for (const double angle : simulation_.geometry.angles) {
      text += fmt::format("{}\n", angle * 180 / std::numbers::pi);
    }
    write_bytes(directory_ / "angles.txt", text);
  }

  std::string path() const { return directory_ / "study.toml"; }
  std::string data_of(std::size_t site) const { return directory_ / file_.sites[site].data; }
  std::vector<std::string> data_files() const {
    std::vector<std::string> files;
    for (std::size_t i = 0; i < file_.sites.size(); ++i) files.push_back(data_of(i));
    return files;
  }

  TemporaryDirectory directory_;
  Simulation simulation_;
  StudyFile file_;
};

TEST_F(StudyDataTest, OpensEachFileOnce) {
  FileOpens opens(data_files());
  StudyData data(file_, path());
  for (const std::string& file : data_files()) EXPECT_EQ(opens.opened(file), 0) << file;
  data.geometries();
  std::map<std::string, int> once;
  for (const std::string& file : data_files()) once[file] = opens.opened(file);
  // The first bytes tell the format, a child process tries the HDF5 library, and the file is
  // opened.
  EXPECT_EQ(once[data_of(0)], 3);
  EXPECT_EQ(once[data_of(3)], 3);
  EXPECT_EQ(once[data_of(1)], 2);
  EXPECT_GE(once[data_of(2)], 1);

  data.estimate();
  EXPECT_TRUE(data.estimated_any());
  data.geometries();
  for (const SliceRange slices : {SliceRange{0, 2}, SliceRange{2, 3}}) data.load(slices);
  for (const SiteEntry& entry : file_.sites) {
    data.site(entry.name);
    for (std::size_t z = 0; z < kStudySlices; ++z) data.prepare(entry.name, {z, 1});
  }
  EXPECT_TRUE(opens.any_read());
  for (const std::string& file : data_files()) EXPECT_EQ(opens.opened(file), once[file]) << file;
}

TEST_F(StudyDataTest, OpensWhatASiteNeedsWhenItIsNeeded) {
  FileOpens opens(data_files());
  StudyData data(file_, path());
  data.site("xrf-2");
  EXPECT_GT(opens.opened(data_of(1)), 0);
  for (const std::size_t i : {0u, 2u, 3u}) EXPECT_EQ(opens.opened(data_of(i)), 0) << i;
}

TEST_F(StudyDataTest, RefusesScansOfDifferentAngles) {
  file_.sites[0].scan = file_.sites[2].scan = "A";
  file_.sites[1].scan = "B";
  EXPECT_NO_THROW(StudyData(file_, path()).geometries());
  write_bytes(directory_ / "fewer.txt", "0\n20\n40\n60\n80\n100\n120\n140\n");
  std::string bytes;
  for (std::size_t a = 0; a < 8; ++a) {
    for (const float value : frame(simulation_.sites[1].data, a)) bytes += bytes_of(value);
  }
  const std::string shape = fmt::format("(8, {}, {})", kStudySlices, simulation_.geometry.beamlets);
  write_bytes(directory_ / "fewer.npy", npy(1, npy_header("<f4", shape), bytes));
  file_.sites[1].data = "fewer.npy";
  file_.sites[1].angles = "fewer.txt";
  EXPECT_NO_THROW(StudyData(file_, path()).geometries());
  file_.sites[1].scan = "A";
  const std::string text = error_of([&] { StudyData(file_, path()).geometries(); });
  EXPECT_CONTAINS(text, "fewer");
  EXPECT_CONTAINS(text, "expected 9 angles as site xrf-1 of");
  EXPECT_CONTAINS(text, "because site xrf-2 of");
  EXPECT_CONTAINS(text, "is of the same scan = \"A\", found 8");
}

TEST_F(StudyDataTest, TakesRefinedValuesAsIfTheyWereInTheStudy) {
  StudyData data(file_, path());
  data.load({0, 1});
  RefinedValues found;
  found.rotation_axis = 8.1234567890123;
  found.angle_scale = 1.014;
  found.lag = 0.7;
  found.gain.assign(9, 1.25);
  for (int k = 0; k < 9; ++k) {
    found.shifts.push_back(std::sin(k));
    found.shifts_vertical.push_back(std::cos(k));
  }
  data.set_refined("xrt", found);
  RefinedValues scale;
  scale.scale = 1.0 / 3;
  data.set_refined("xrf-1", scale);
  // The same study, read from the file that it writes.
  StudyFile written = data.file();
  for (SiteEntry& entry : written.sites) entry.prepare.bad_values = "mask";
  write_study(directory_ / "refined.toml", written);
  EXPECT_CONTAINS(study_text(written), "shifts = [0.0, 0.8414709848078965, ");
  StudyData again(read_study(directory_ / "refined.toml"), directory_ / "refined.toml");
  file_ = written;
  StudyData same(written, path());
  for (const std::string site : {"xrt", "xrf-1"}) {
    const PreparedSite a = same.prepare(site, {1, 2});
    const PreparedSite b = again.prepare(site, {1, 2});
    EXPECT_TRUE(std::ranges::equal(a.data.values.values(), b.data.values.values())) << site;
    EXPECT_EQ(a.site.geometry.angles, b.site.geometry.angles);
    EXPECT_EQ(a.site.geometry.shifts, b.site.geometry.shifts);
    EXPECT_EQ(a.site.geometry.rotation_axis, b.site.geometry.rotation_axis);
    EXPECT_EQ(a.site.sigma, b.site.sigma);
  }
  // Open files have the new values, too.
  EXPECT_EQ(data.site("xrt").geometry.shifts, found.shifts);
  EXPECT_EQ(data.site("xrt").geometry.rotation_axis, *found.rotation_axis);
}

TEST_F(StudyDataTest, RefusesCountsWithoutAScale) {
  const auto run = [&](const StudyFile& file) {
    StudyData data(file, path());
    data.refuse_counts();
    data.require_scales();
  };
  const auto refused = [&](const StudyFile& file) { return error_of([&] { run(file); }); };
  EXPECT_NO_THROW(run(file_));  // g/cm^2, and scale = 1 for the others
  StudyFile file = file_;
  file.sites[1].prepare.scale.reset();
  EXPECT_NO_THROW(run(file));  // no unit, but no whole numbers
  Block whole = simulation_.sites[1].data;
  for (float& value : whole.values()) value = std::round(value * 1e6F);
  write_npy("xrf-2.npy", whole);
  EXPECT_CONTAINS(refused(file), "no unit, and whole numbers, which are counts; set scale");
  EXPECT_CONTAINS(refused(file), "scale = \"auto\"");
  EXPECT_CONTAINS(refused(file), "firm calibrate");
  file.sites[1].prepare.find_scale = true;
  EXPECT_CONTAINS(refused(file), "nothing has found scale = \"auto\"");
  StudyData data(file, path());
  RefinedValues found;
  found.scale = 1e-6;
  data.set_refined("xrf-2", found);
  EXPECT_NO_THROW(data.require_scales());
  EXPECT_FALSE(data.prepare("xrf-2", {0, 1}).report.scale_open);
}

TEST_F(StudyDataTest, WarnsAboutAxesOfOneScanThatDisagree) {
  constexpr std::size_t kMoved = 5;  // beamlets
  const auto beamlets = static_cast<std::size_t>(simulation_.geometry.beamlets);
  const Block& data = simulation_.sites[1].data;
  Block moved(data.rows(), data.columns());
  for (std::size_t k = 0; k < data.rows(); ++k) {
    const std::size_t x = k % beamlets;
    for (std::size_t z = 0; z < data.columns(); ++z) {
      if (x + kMoved < beamlets) moved(k + kMoved, z) = data(k, z);
    }
  }
  const auto warnings = [&](const Block& values, const std::string& scan) {
    write_npy("xrf-2.npy", values);
    file_.sites[0].scan = file_.sites[1].scan = scan;
    file_.sites[0].find_rotation_axis = file_.sites[1].find_rotation_axis = true;
    file_.sites[0].rotation_axis.reset();
    file_.sites[1].rotation_axis.reset();
    StudyData files(file_, path());
    files.estimate();
    const std::vector<std::string>& all = files.estimates("xrf-2").axis->warnings;
    return std::ranges::count_if(all, [](const std::string& w) {
      return w.find("of xrf-1, which was measured in the same scan") != std::string::npos &&
             w.find("--refine lag,angles,shifts") != std::string::npos;
    });
  };
  EXPECT_EQ(warnings(moved, "A"), 1);
  EXPECT_EQ(warnings(moved, ""), 0);
  EXPECT_EQ(warnings(data, "A"), 0);
}

TEST_F(StudyDataTest, EstimatesOnce) {
  StudyData data(file_, path());
  data.estimate();
  FileOpens opens(data_files());
  data.estimate();
  data.estimate("xrt");
  EXPECT_FALSE(opens.any_read());
}

TEST_F(StudyDataTest, ReadsNothingWhereNothingIsUnknown) {
  for (SiteEntry& entry : file_.sites) {
    entry.noise = Noise::kGiven;
    entry.find_rotation_axis = false;
  }
  FileOpens opens(data_files());
  StudyData data(file_, path());
  data.estimate();
  EXPECT_FALSE(data.estimated_any());
  for (const std::string& file : data_files()) EXPECT_EQ(opens.opened(file), 0) << file;
}

TEST_F(StudyDataTest, PutsEstimatesIntoStudyGeometryAndReports) {
  StudyData data(file_, path());
  data.estimate();
  const SiteEntry& xrt = data.file().sites[3];
  ASSERT_TRUE(data.estimates("xrt").axis);
  const double axis = data.estimates("xrt").axis->axis;
  EXPECT_FALSE(xrt.find_rotation_axis);
  EXPECT_EQ(xrt.rotation_axis, axis);
  EXPECT_EQ(data.site("xrt").geometry.rotation_axis, axis);
  EXPECT_EQ(data.geometries().sites[3].geometry.rotation_axis, axis);
  for (std::size_t z = 0; z < kStudySlices; ++z) {
    const PreparedSite prepared = data.prepare("xrt", {z, 1});
    ASSERT_TRUE(prepared.report.axis);
    EXPECT_EQ(prepared.report.axis->axis, axis);
    EXPECT_EQ(prepared.report.axis->uncertainty, data.estimates("xrt").axis->uncertainty);
    EXPECT_EQ(prepared.report.noise->sigma, *xrt.estimated_sigma);
    EXPECT_EQ(prepared.site.sigma, *xrt.estimated_sigma);
  }
}

TEST_F(StudyDataTest, GivesAllFormatsTheValuesThatWereSimulated) {
  const LoadedStudy loaded = StudyData(file_, path()).load(all_slices(file_));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(
        std::ranges::equal(loaded.data[i].values.values(), simulation_.sites[i].data.values()))
        << i;
  }
}

TEST_F(StudyDataTest, NeedsNoFileOfOtherSites) {
  const StudyFile whole = file_;
  const PreparedSite expected = StudyData(file_, path()).prepare("xrf-3", {1, 3});
  for (const std::size_t i : {0u, 1u, 3u}) std::filesystem::remove(data_of(i));
  StudyData data(whole, path());
  data.estimate("xrf-3");
  EXPECT_TRUE(data.estimated_any());
  EXPECT_EQ(data.site("xrf-3").sigma, expected.site.sigma);
  const PreparedSite prepared = data.prepare("xrf-3", {1, 3});
  EXPECT_EQ(prepared.site.sigma, expected.site.sigma);
  EXPECT_TRUE(std::ranges::equal(prepared.data.values.values(), expected.data.values.values()));
  EXPECT_CONTAINS(error_of([&] { data.geometries(); }), "no such file");
}

// Sites may be elements of one file: the child process that tries the second one must not disturb
// the first, which is open already.
TEST_F(StudyDataTest, ReadsTwoSitesFromOneFile) {
  file_.sites[1] = file_.sites[0];
  file_.sites[1].name = "again";
  StudyData data(file_, path());
  const Block first = data.prepare("xrf-1", {0, 1}).data.values;
  const Block again = data.prepare("again", {1, 2}).data.values;
  const Block rest = data.prepare("xrf-1", {1, 2}).data.values;
  EXPECT_TRUE(std::ranges::equal(again.values(), rest.values()));
  EXPECT_EQ(first(0, 0), simulation_.sites[0].data(0, 0));
}

// Other formats name the place of the frames without the object; a .npy has none.
TEST_F(StudyDataTest, SaysWhatNpyWithoutWhiteFramesNeeds) {
  write_npy("xrt.npy", simulation_.sites[3].data);
  file_.sites[3].data = "xrt.npy";
  file_.sites[3].angles = "angles.txt";
  file_.sites[3].noise = Noise::kGiven;
  file_.sites[3].prepare.minus_log = true;
  const std::string text = error_of([&] { StudyData(file_, path()).geometries(); });
  EXPECT_CONTAINS(text,
                  "xrt.npy: expected frames without the object, or a monitor, because "
                  "minus_log = true for site xrt of ");
  EXPECT_CONTAINS(text,
                  "found none, and no place for them in the format NumPy (.npy); monitor = "
                  "\"FILE\" names a file with I0, normalize = \"air\"");
  file_.sites[3].prepare.normalize = "flat";
  EXPECT_CONTAINS(error_of([&] { StudyData(file_, path()).geometries(); }),
                  "because normalize = \"flat\" for site xrt");
}

}  // namespace
}  // namespace firm
