// firm recon --refine: the refined study, chunks, resumed runs and several processes.
#include <algorithm>
#include <filesystem>

#include "io/files/image_file.h"
#include "io/study/study_file.h"
#include "support/command_line.h"

namespace firm {
namespace {

class RefinedRun : public CommandLine {
 protected:
  void simulate(const std::string& more) {
    const Outcome o =
        run("simulate --out s --preset rod --size 48 --angles 16 --jitter 2 "
            "--axis-offset 2 " +
            more);
    ASSERT_EQ(o.code, 0) << o.err;
  }
  // Stops after a few rounds.
  void recon(const std::string& arguments, const std::string& before = "") {
    const Outcome o = run("recon " + arguments, before);
    ASSERT_EQ(o.code, 5) << o.err;
  }
  std::string images(const std::string& run) {
    return file_content(directory_ / run + "/images.h5");
  }
  // images.h5 also has the study and the options; these are only the images.
  void expect_same_images(const std::string& a, const std::string& b) {
    for (const std::string name : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
      const Block expected = read_images(directory_ / a + "/images.h5", name);
      const Block found = read_images(directory_ / b + "/images.h5", name);
      EXPECT_TRUE(std::ranges::equal(expected.values(), found.values())) << a << b << name;
    }
  }
};

constexpr const char* kRounds = " --set stop.rounds=4";

TEST_F(RefinedRun, WritesStudyThatGivesSameImages) {
  simulate("--noise 0.01");
  recon("s/study.toml --out r --refine shifts,axis,angles,lag,gain" + std::string(kRounds));
  recon("r/refined.toml --out again");
  expect_same_images("r", "again");
  EXPECT_TRUE(summary("r").contains("refined"));
  EXPECT_FALSE(summary("again").contains("refined"));
}

TEST_F(RefinedRun, WritesStudyWithScales) {
  simulate("--xrf-counts 1e4 --counts 1e4 --slices 5 --lag 3 --beam-drift 0.05");
  recon("s/study.toml --out r --refine shifts,shifts-vertical,axis,gain,lag" +
        std::string(kRounds));
  recon("r/refined.toml --out again");
  expect_same_images("r", "again");
}

TEST_F(RefinedRun, GivesSameImagesInChunks) {
  simulate("--noise 0.01 --slices 4");
  // Each chunk stops for itself, after the same rounds.
  const std::string rules = " --set stop.discrepancy=0 --set stop.noise=0" + std::string(kRounds);
  recon("s/study.toml --out whole --refine shifts,axis" + rules);
  recon("s/study.toml --out chunks --refine shifts,axis --set chunks=2" + rules);
  recon("chunks/refined.toml --out again");
  EXPECT_EQ(summary("chunks").at("refined"), summary("whole").at("refined"));
  EXPECT_EQ(summary("again").at("options").at("chunks"),
            summary("chunks").at("options").at("chunks"));
  expect_same_images("chunks", "again");
}

TEST_F(RefinedRun, Resumes) {
  simulate("--xrf-counts 1e4 --counts 1e4");
  for (const std::string mode : {"", " --separate"}) {
    recon("s/study.toml --out whole" + mode + " --refine shifts,axis --overwrite" + kRounds);
    recon("s/study.toml --out r" + mode + " --refine shifts,axis --overwrite --set stop.rounds=2");
    recon("s/study.toml --out r --resume" + mode + kRounds);
    EXPECT_EQ(images("r"), images("whole")) << mode;
    EXPECT_EQ(summary("r").at("refined"), summary("whole").at("refined"));
  }
}

TEST_F(RefinedRun, GivesSameImagesWithTwoProcesses) {
  simulate("--xrf-counts 1e4 --counts 1e4 --slices 2");
  const std::string options = " --refine shifts,axis --set threads=1" + std::string(kRounds);
  recon("s/study.toml --separate --out one" + options);
  recon("s/study.toml --mpi --out two" + options,
        "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
        "mpirun --oversubscribe -n 2");
  expect_same_images("two", "one");
  EXPECT_EQ(summary("two").at("refined"), summary("one").at("refined"));
}

TEST_F(RefinedRun, IsCheckedBefore) {
  simulate("--noise 0.01");
  EXPECT_EQ(run("check s/study.toml --prior tv --refine shifts,axis").code, 0);
  for (const std::string refine : {"scale", "shifts-vertical", "shift"}) {
    const Outcome o = run("check s/study.toml --refine " + refine);
    EXPECT_EQ(o.code, 2) << refine;
    EXPECT_CONTAINS(o.out, "refine: expected ");
  }
}

// Only the lag of XRT is refined; trials must not change those of the other sites.
TEST_F(RefinedRun, KeepsGivenLagOfXrf) {
  simulate("--noise 0.01");
  StudyFile file = read_study(directory_ / "s/study.toml");
  file.sites[1].prepare.lag = 1.7;
  write_study(directory_ / "s/study.toml", file);
  for (const std::string mode : {"", " --separate"}) {
    recon("s/study.toml --overwrite --out r --refine lag" + mode + kRounds);
    const StudyFile refined = read_study(directory_ / "r/refined.toml");
    EXPECT_EQ(refined.sites[0].prepare.lag, std::nullopt);
    EXPECT_EQ(refined.sites[1].prepare.lag, 1.7);
    EXPECT_TRUE(refined.sites[3].prepare.lag.has_value());
  }
}

}  // namespace
}  // namespace firm
