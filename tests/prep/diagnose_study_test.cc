// Warnings of prep/diagnose in the reports of StudyData.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "io/formats/data_exchange.h"
#include "prep/study_data.h"
#include "sim/simulate.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

// Three XRF sites and XRT, of which the detector of xrf-2 is mirrored.
class DiagnoseStudyTest : public testing::Test {
 protected:
  void SetUp() override {
    SimulateOptions o;
    o.preset = "elements";
    o.size = 32;
    o.angles = 30;
    o.slices = 3;
    o.noise = 0.02;
    write_simulation(simulate(o), directory_.path());
    Acquisition a = read_acquisition(directory_ / "xrf-2.h5");
    const auto beamlets = static_cast<std::size_t>(a.beamlets);
    const Block measured = a.data;
    for (std::size_t ray = 0; ray < measured.rows(); ++ray) {
      const std::size_t x = ray % beamlets;
      for (std::size_t z = 0; z < measured.columns(); ++z) {
        a.data(ray, z) = measured(ray - x + beamlets - 1 - x, z);
      }
    }
    write_acquisition(directory_ / "xrf-2.h5", a);
    file_ = read_study(path());
  }

  std::string path() const { return directory_ / "study.toml"; }

  TemporaryDirectory directory_;
  StudyFile file_;
};

TEST_F(DiagnoseStudyTest, ReportsOfAllSlicesHaveWarnings) {
  StudyData data(file_, path());
  EXPECT_TRUE(data.prepare("xrf-2", {0, 1}).report.warnings.empty());
  data.diagnose();
  for (const SliceRange slices : {SliceRange{0, 1}, SliceRange{1, 2}}) {
    const std::vector<std::string> warnings = data.prepare("xrf-2", slices).report.warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("angle_offset = \"180 deg\""), std::string::npos) << warnings[0];
  }
  data.diagnose();  // does not repeat them
  EXPECT_EQ(data.prepare("xrf-2", {0, 1}).report.warnings.size(), 1u);
  for (const char* site : {"xrf-1", "xrf-3", "xrt"}) {
    EXPECT_TRUE(data.prepare(site, {0, 1}).report.warnings.empty()) << site;
  }
}

TEST_F(DiagnoseStudyTest, AngleOffsetCorrectsMirroredDetector) {
  file_.sites[1].angle_offset = 180;
  const LoadedStudy loaded = StudyData(file_, path()).load({0, 3});
  for (const PreparationReport& report : loaded.reports) EXPECT_TRUE(report.warnings.empty());
}

TEST_F(DiagnoseStudyTest, SiteOfFederationChecksItselfOnly) {
  for (const char* other : {"xrf-1.h5", "xrf-3.h5", "xrt.h5"}) {
    std::filesystem::remove(directory_ / other);
  }
  file_.rows = file_.columns = 20;
  StudyData data(file_, path());
  data.diagnose("xrf-2");
  const std::vector<std::string> warnings = data.prepare("xrf-2", {0, 3}).report.warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("rays that miss the image of 20 x 20 pixels"), std::string::npos);
}

TEST_F(DiagnoseStudyTest, LeavesErrorsToPreparation) {
  std::filesystem::remove(directory_ / "xrf-1.h5");
  StudyData data(file_, path());
  EXPECT_NO_THROW(data.diagnose());
  EXPECT_TRUE(data.prepare("xrf-2", {0, 3}).report.warnings.empty());  // nothing to compare with
}

}  // namespace
}  // namespace firm
