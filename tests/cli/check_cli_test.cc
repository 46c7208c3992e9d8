// `firm check` as a program: output and exit codes.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/command_line.h"

namespace firm {
namespace {

class CheckCommand : public CommandLine {
 protected:
  void SetUp() override { make_study(); }

  Outcome check(const std::string& arguments) { return run("check study/study.toml " + arguments); }
};

TEST_F(CheckCommand, PrintsHelp) {
  const Outcome o = run("check --help");
  EXPECT_EQ(o.code, 0);
  EXPECT_CONTAINS(o.out, "firm check study.toml --listen");
  EXPECT_CONTAINS(run("--help").out, "check");
}

TEST_F(CheckCommand, PrintsOneLinePerCheck) {
  const Outcome o = check("--out run");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.err, "");
  EXPECT_CONTAINS(o.out, "ok       study          study/study.toml: \"paper\", 16 x 16 pixels");
  EXPECT_CONTAINS(o.out, "\nok       data of xrf-1  5 angles");
  EXPECT_CONTAINS(o.out, "\nok       disk           run: can be written");
  EXPECT_CONTAINS(o.out, "\nNothing wrong, 0 warnings.\n");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "run"));
}

TEST_F(CheckCommand, PrintsProblemAndFix) {
  std::filesystem::remove(directory_ / "study/xrf-1.h5");
  const Outcome o = check("");
  EXPECT_EQ(o.code, 3);
  EXPECT_CONTAINS(o.out, "\nWRONG    data of xrf-1  study/xrf-1.h5: expected the data of");
  EXPECT_CONTAINS(o.out, "\n                        fix: put the file where the study says");
  EXPECT_CONTAINS(o.out, "\n1 wrong, 0 warnings.\n");
}

TEST_F(CheckCommand, ReturnsCodeOfWorstProblem) {
  EXPECT_EQ(check("--set nonsense=1").code, 2);
  EXPECT_EQ(check("--set nonsense=1 --pki none").code, 4);
  EXPECT_EQ(check("--name xrf-1 --data none.h5").code, 3);
}

TEST_F(CheckCommand, AlignsLongTexts) {
  ASSERT_EQ(run("pki init --dir pki").code, 0);
  const Outcome o = check("--pki pki");
  EXPECT_EQ(o.code, 0);
  const std::size_t at = o.out.find("fingerprint ");
  const std::size_t end = o.out.find('\n', o.out.find("authority      fingerprint"));
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(o.out.substr(end + 1, 24), std::string(24, ' '));
}

TEST_F(CheckCommand, AcceptsArgumentsOfRun) {
  const Outcome site =
      check("--name xrf-1 --publish --keepalive-seconds 5 --truth study/truth.h5 --out run");
  EXPECT_EQ(site.code, 0) << site.out << site.err;
  EXPECT_CONTAINS(site.out, "publish        at the end this site's image goes to the coordinator");
  EXPECT_CONTAINS(site.out, "truth          study/truth.h5: true images to compare with");
  EXPECT_EQ(check("--listen 127.0.0.1:0 --checkpoint-seconds 2 --keepalive-seconds 5").code, 0);
  expect_error(check("--keepalive-seconds 0.1"), 2, "--keepalive-seconds");
  const Outcome none = check("--name xrf-1 --truth study/none.h5");
  EXPECT_EQ(none.code, 3);
  EXPECT_CONTAINS(none.out, "WRONG    truth          study/none.h5");
  EXPECT_EQ(check("--name xrf-1 --truth study/xrf-1.h5").code, 3);
}

TEST_F(CheckCommand, NeedsNameOfSiteWithData) {
  expect_error(check("--data study/xrf-1.h5"), 2, "--name");
}

TEST_F(CheckCommand, TakesOptionsOfRecon) {
  EXPECT_CONTAINS(check("--method firm").out, "ok       method         firm");
  EXPECT_EQ(check("--method nonsense").code, 2);
  EXPECT_CONTAINS(check("--max-memory 1GB").out, "1 slice in 1 chunk");
  EXPECT_EQ(check("--max-memory 1kB").code, 2);
  expect_error(check("--max-memory much"), 2, "--max-memory: expected a size");
  expect_error(check("--max-memory 1GB --name xrf-1"), 2, "found that of a federation");
  expect_error(check("--resume --overwrite"), 2, "either --resume or --overwrite");
}

TEST_F(CheckCommand, SaysWhatReconWillSayAboutOut) {
  ASSERT_EQ(run("recon study/study.toml --out run --set stop.rounds=1").code, 5);
  const Outcome refused = check("--out run");
  EXPECT_EQ(refused.code, run("recon study/study.toml --out run").code);
  EXPECT_CONTAINS(refused.out, "fix: use --resume or --overwrite, or choose another --out");
  EXPECT_EQ(check("--out run --overwrite").code, 0);
  EXPECT_EQ(check("--out run --resume").code, 0);
  const Outcome file = check("--out study/study.toml");
  EXPECT_EQ(file.code, run("recon study/study.toml --out study/study.toml").code);
  EXPECT_CONTAINS(file.out, "expected a directory, found a file");
}

}  // namespace
}  // namespace firm
