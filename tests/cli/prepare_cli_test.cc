// Preparation of data: messages, the summary, and the resolved study.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/formats/data_exchange.h"
#include "io/study/study_file.h"
#include "support/command_line.h"

namespace firm {
namespace {

using Json = nlohmann::json;

// A study whose XRT site has an unknown rotation axis, and one NaN.
class Prepare : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --out s --size 32 --angles 20 --noise 0.01").code, 0);
    StudyFile study = read_study(directory_ / "s/study.toml");
    SiteEntry& xrt = study.sites[3];
    middle_ = xrt.rotation_axis.value_or(0);
    xrt.rotation_axis.reset();
    xrt.find_rotation_axis = true;
    xrt.axis_search = 6;
    xrt.prepare.bad_values = "mask";
    write_study(directory_ / "s/study.toml", study);
    Acquisition a = read_acquisition(directory_ / "s/xrt.h5");
    a.data(40, 0) = std::numeric_limits<float>::quiet_NaN();
    write_acquisition(directory_ / "s/xrt.h5", a);
  }

  Json preparation(const std::string& run_directory, std::size_t site) {
    return summary(run_directory).at("sites").at(site).at("preparation");
  }
  SiteEntry resolved_xrt(const std::string& run_directory) {
    return read_study(directory_ / (run_directory + "/study.toml")).sites[3];
  }

  double middle_ = 0;
};

TEST_F(Prepare, ReconReportsPreparation) {
  const Outcome o = run("recon s/study.toml --out r --set stop.rounds=2");
  EXPECT_CONTAINS(o.err, "xrt: 1 of 920 values masked: 1 NaN or infinite; rotation axis found at ");
  const Json j = preparation("r", 3);
  EXPECT_EQ(j.at("not_finite"), 1);
  EXPECT_EQ(j.at("masked"), 1);
  EXPECT_NEAR(j.at("rotation_axis").at("axis").get<double>(), middle_, 0.25);
  EXPECT_GT(j.at("rotation_axis").at("uncertainty").get<double>(), 0);
  EXPECT_TRUE(j.at("warnings").empty());
  EXPECT_FALSE(preparation("r", 0).contains("rotation_axis"));
  const SiteEntry xrt = resolved_xrt("r");
  EXPECT_FALSE(xrt.find_rotation_axis);
  EXPECT_FALSE(xrt.axis_search);
  EXPECT_EQ(xrt.rotation_axis, j.at("rotation_axis").at("axis").get<double>());
}

TEST_F(Prepare, ResolvedStudyRepeatsRun) {
  run("recon s/study.toml --out r --set stop.rounds=2");
  run("recon r/study.toml --out again");
  EXPECT_EQ(summary("r").at("objective"), summary("again").at("objective"));
}

TEST_F(Prepare, SeparateSitesUseSameAxis) {
  run("recon s/study.toml --out r --set stop.rounds=2");
  const Outcome o = run("recon s/study.toml --out p --separate --set stop.rounds=2");
  EXPECT_CONTAINS(o.err, "xrt: 1 of 920 values masked");
  EXPECT_EQ(preparation("p", 3), preparation("r", 3));
  EXPECT_EQ(resolved_xrt("p").rotation_axis, resolved_xrt("r").rotation_axis);
}

TEST_F(Prepare, CheckShowsWarnings) {
  Outcome o = run("check s/study.toml");
  EXPECT_EQ(o.code, 0) << o.out;
  EXPECT_CONTAINS(o.out, "1 of 920 values masked");
  StudyFile study = read_study(directory_ / "s/study.toml");
  study.sites[3].axis_search = 4;
  write_study(directory_ / "s/study.toml", study);
  Acquisition a = read_acquisition(directory_ / "s/xrt.h5");
  const auto beamlets = static_cast<std::size_t>(a.beamlets);
  for (std::size_t k = 0; k < a.theta.size(); ++k) {  // moves the detector by 9 beamlets
    for (std::size_t x = beamlets; x-- > 0;) {
      a.data(k * beamlets + x, 0) = x >= 9 ? a.data(k * beamlets + x - 9, 0) : 0;
    }
  }
  write_acquisition(directory_ / "s/xrt.h5", a);
  o = run("check s/study.toml");
  EXPECT_EQ(o.code, 0) << o.out;
  EXPECT_CONTAINS(o.out, "at the end of the search range");
  EXPECT_CONTAINS(o.out, "docs/data.md");
}

}  // namespace
}  // namespace firm
