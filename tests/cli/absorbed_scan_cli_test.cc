// Refinement of scans with self-absorption: XRT shows where the object was, fluorescence does not.

#include "io/study/study_file.h"
#include "support/command_line.h"

namespace firm {
namespace {

class AbsorbedScan : public CommandLine {
 protected:
  void simulate(const std::string& more) {
    const Outcome o =
        run("simulate --out s --self-absorption --preset elements --size 48 "
            "--angles 40 --noise 0.01 " +
            more);
    ASSERT_EQ(o.code, 0) << o.err;
  }
  void change(const std::function<void(StudyFile&)>& how) {
    StudyFile file = read_study(directory_ / "s/study.toml");
    how(file);
    write_study(directory_ / "s/changed.toml", file);
  }
};

const std::string kFew = " --set stop.rounds=2 --set absorption.rounds=1 ";

// The images of fluorescence alone show an axis that is more than half a beamlet off.
TEST_F(AbsorbedScan, HasTheAxisOfXrt) {
  simulate("--jitter 2 --axis-offset 2");
  StudyFile file = read_study(directory_ / "s/study.toml");
  const double axis = *file.sites[0].rotation_axis + 2;
  ASSERT_EQ(run("recon s/study.toml --out r --refine shifts,axis" + kFew).code, 5);
  const auto refined = summary("r").at("refined");
  for (const std::string site : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
    EXPECT_NEAR(refined.at("sites").at(site).at("axis"), axis, 0.15) << site;
    EXPECT_EQ(refined.at("sites").at(site).at("axis"), refined.at("sites").at("xrt").at("axis"));
  }
  ASSERT_EQ(run("recon s/study.toml --out p --separate --refine shifts,axis" + kFew).code, 5);
  EXPECT_EQ(summary("p").at("refined").at("scans"), refined.at("scans"));
  EXPECT_EQ(summary("p").at("refined").at("sites"), refined.at("sites"));
}

TEST_F(AbsorbedScan, HasTheVerticalShiftsOfXrt) {
  simulate("--slices 5 --vertical-jitter 1");
  ASSERT_EQ(run("recon s/study.toml --out r --refine shifts-vertical" + kFew).code, 5);
  ASSERT_EQ(run("recon s/study.toml --out p --separate --refine shifts-vertical" + kFew).code, 5);
  const auto refined = summary("r").at("refined").at("scans");
  EXPECT_EQ(summary("p").at("refined").at("scans"), refined);
}

TEST_F(AbsorbedScan, RefusesWhatOnlyFluorescenceShows) {
  simulate("");
  for (const std::string what : {"lag", "gain", "scale"}) {
    for (const std::string verb :
         {"recon s/study.toml --out r", "align s/study.toml --out a.toml"}) {
      const Outcome o = run(verb + " --refine shifts," + what);
      expect_error(o, 2, "in a study with self_absorption, because XRT shows them");
      EXPECT_CONTAINS(o.err, "found " + what);
    }
  }
}

TEST_F(AbsorbedScan, CannotBeCalibrated) {
  simulate("");
  const Outcome o = run("calibrate s/study.toml");
  expect_error(o, 2, "self_absorption: expected false: XRT is compared with the fluorescence");
}

TEST_F(AbsorbedScan, NeedsXrt) {
  simulate("--jitter 2");
  change([](StudyFile& file) { file.sites[1].scan = "B"; });
  const Outcome o = run("recon s/changed.toml --out r --refine shifts");
  expect_error(o, 2, "expected XRT in the scan of xrf-2, to refine shifts");
  EXPECT_CONTAINS(o.err, "found no XRT in scan B");
}

TEST_F(AbsorbedScan, NeedsAxisOfFluorescence) {
  simulate("");
  change([](StudyFile& file) {
    file.sites[0].rotation_axis.reset();
    file.sites[0].find_rotation_axis = true;
  });
  const Outcome o = run("recon s/changed.toml --out r");
  expect_error(o, 2, "xrf-1: rotation_axis: expected a number in a study with self_absorption");
  EXPECT_CONTAINS(o.err, "--refine axis");
}

}  // namespace
}  // namespace firm
