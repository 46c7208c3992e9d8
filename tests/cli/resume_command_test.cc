// The command that `firm recon` prints for a run that has stopped early: typed as it stands, it
// goes on.
#include <gtest/gtest.h>

#include "support/command_line.h"

namespace firm {
namespace {

class ResumeCommand : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --out 'my study' --size 16 --angles 5 --slices 2 --noise 0.01").code,
              0);
  }

  Outcome recon(const std::string& options) {
    return run("recon 'my study/study.toml' --out 'a run' --method fedpgd " + options);
  }

  // The arguments of the printed command.
  static std::string printed(const Outcome& o) {
    const std::string mark = " To resume:\n  firm ";
    const std::size_t at = o.out.find(mark);
    EXPECT_NE(at, std::string::npos) << o.out << o.err;
    if (at == std::string::npos) return "";
    const std::size_t begin = at + mark.size();
    return o.out.substr(begin, o.out.find('\n', begin) - begin);
  }
  int rounds() { return summary("a run").at("rounds"); }
};

TEST_F(ResumeCommand, GoesOnAfterLimitOfRounds) {
  const Outcome o = recon("--set stop.discrepancy=0 --set stop.kkt=1e-30 --set stop.rounds=3");
  ASSERT_EQ(o.code, 5) << o.err;
  EXPECT_EQ(printed(o), "recon 'my study/study.toml' --out 'a run' --resume --set stop.rounds=6");
  EXPECT_EQ(run(printed(o)).code, 5);
  EXPECT_EQ(rounds(), 6);
}

TEST_F(ResumeCommand, GoesOnAfterLimitOfTime) {
  const Outcome o = recon("--set stop.discrepancy=0 --set stop.kkt=1e-3 --set stop.seconds=1e-6");
  ASSERT_EQ(o.code, 5) << o.err;
  EXPECT_CONTAINS(printed(o), " --resume --set stop.seconds=");
  EXPECT_CONTAINS(o.out, "Time adds up over resumes, without pauses: ");
  const int before = rounds();
  const double projections = summary("a run").at("projection_seconds");
  const Outcome more = run(printed(o));
  EXPECT_TRUE(more.code == 0 || more.code == 5) << more.err;
  EXPECT_GT(rounds(), before + 1);
  EXPECT_GT(summary("a run").at("projection_seconds"), projections);
}

TEST_F(ResumeCommand, GoesOnAfterLimitOfTimeInChunks) {
  const Outcome o =
      recon("--set stop.discrepancy=0 --set stop.kkt=1e-3 --set stop.seconds=1e-6 --set chunks=2");
  ASSERT_EQ(o.code, 5) << o.err;
  const int before = rounds();
  run(printed(o));
  EXPECT_GT(rounds(), before + 1);
}

TEST_F(ResumeCommand, KeepsModeAndTruth) {
  const Outcome o =
      recon("--separate --truth 'my study/truth.h5' --set stop.discrepancy=0 --set stop.rounds=1");
  ASSERT_EQ(o.code, 5) << o.err;
  EXPECT_EQ(printed(o),
            "recon 'my study/study.toml' --out 'a run' --resume --separate --truth 'my "
            "study/truth.h5' --set stop.rounds=2");
  EXPECT_EQ(run(printed(o)).code, 5);
  EXPECT_EQ(rounds(), 2);
}

}  // namespace
}  // namespace firm
