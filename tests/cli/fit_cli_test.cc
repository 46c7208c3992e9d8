// Whether the data is fitted, as a user sees it: right studies are fitted, wrong ones are named
// with their cause, on one machine, site by site and in chunks.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/files/pending_file.h"
#include "support/command_line.h"
#include "support/json_files.h"

namespace firm {
namespace {

using Json = nlohmann::json;

class Fit : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        run("simulate --out s --preset elements --size 32 --angles 30 --slices 2 --noise 0.02 "
            "--pixel-size 10")
            .code,
        0);
    study_ =
        replaced(file_content(directory_ / "s/study.toml"), "discrepancy = 0.02", "noise = 0.5");
    for (const char* site : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
      const std::string name = "name = \"" + std::string(site) + "\"";
      study_ = replaced(study_, name, name + "\nsigma = \"estimate\"");
    }
    write("t");
  }

  void write(const std::string& name) {
    write_text_file(directory_ / ("s/" + name + ".toml"), study_);
  }

  std::string study_;
};

TEST_F(Fit, IsInTableSummaryHistoryAndLastLine) {
  const Outcome o = run("recon s/t.toml --out r --strict");
  EXPECT_EQ(o.code, 0) << o.out << o.err;
  EXPECT_CONTAINS(o.out, "The data is fitted:");
  const Json s = summary("r");
  EXPECT_EQ(s["fits"], true);
  EXPECT_TRUE(s["warnings"].empty()) << s["warnings"].dump(1);
  for (const Json& site : s["sites"]) {
    EXPECT_GT(site["fit"], 0.5);
    EXPECT_LT(site["fit"], 2);
    EXPECT_GT(site["sigma"], 0);
    EXPECT_EQ(site["sigma_source"], "estimated");
  }
  const Json last = history("r").back();
  EXPECT_NEAR(last["fit"]["xrt"].get<double>(), s["sites"][3]["fit"].get<double>(), 1e-3);
}

TEST_F(Fit, IsTheSameSiteBySiteAndInChunks) {
  ASSERT_EQ(run("recon s/t.toml --out a --separate").code, 0);
  ASSERT_EQ(run("recon s/t.toml --out b --set chunks=2").code, 0);
  ASSERT_EQ(run("recon s/t.toml --out c").code, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    const double together = summary("c")["sites"][i]["fit"];
    EXPECT_NEAR(summary("a")["sites"][i]["fit"].get<double>(), together, 0.01);
    EXPECT_NEAR(summary("b")["sites"][i]["fit"].get<double>(), together, 0.1);
  }
  EXPECT_EQ(history("a").back()["fit"].size(), 4u);
}

// XRT gets its own weight in a second stage, whose end all processes must see at the same round.
TEST_F(Fit, EndsSiteBySiteBesideAccurateXrt) {
  study_ = replaced(study_, "name = \"xrt\"\nsigma = \"estimate\"", "name = \"xrt\"\nsigma = 1e-3");
  write("accurate");
  ASSERT_EQ(run("recon s/accurate.toml --out a --separate --set stop.rounds=300").code, 0);
  ASSERT_EQ(run("recon s/accurate.toml --out c --set stop.rounds=300").code, 0);
  EXPECT_EQ(summary("a")["termination"]["reason"], "noise");
  EXPECT_NEAR(summary("a")["rounds"].get<int>(), summary("c")["rounds"].get<int>(), 2);
}

TEST_F(Fit, NamesMirroredXrt) {
  study_ = replaced(study_, "name = \"xrt\"", "name = \"xrt\"\nangle_offset = \"180 deg\"");
  write("mirrored");
  const Outcome o = run("recon s/mirrored.toml --out r");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_CONTAINS(o.out, "The data is NOT fitted");
  EXPECT_CONTAINS(o.out, "(1) tested, fits");
  EXPECT_CONTAINS(o.out,
                  "its detector or its angles run the other way than those of the other sites");
}

TEST_F(Fit, NamesCauseOfMissedData) {
  // Three times as much iron as XRT sees.
  study_ = replaced(study_, "name = \"xrf-2\"", "name = \"xrf-2\"\nscale = 3");
  write("wrong");
  const Outcome o = run("recon s/wrong.toml --out r");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_CONTAINS(o.out, "The data is NOT fitted");
  EXPECT_CONTAINS(o.out, "likely causes:\n  (1) ");
  EXPECT_EQ(summary("r")["fits"], false);
  EXPECT_FALSE(summary("r")["warnings"].empty());
  EXPECT_EQ(o.out.find("before it converged"), std::string::npos);
  EXPECT_EQ(run("recon s/wrong.toml --out r2 --strict").code, 5);
  // No cause is certain yet.
  const Outcome early = run("recon s/wrong.toml --out r3 --set stop.rounds=1");
  EXPECT_CONTAINS(early.out, "the run has ended before it converged, and more rounds may fit it");
}

TEST_F(Fit, SaysThatOtherSitesContradict) {
  study_ = replaced(study_, "name = \"xrf-2\"", "name = \"xrf-2\"\nscale = 3");
  write("wrong");
  const Outcome o = run("recon s/wrong.toml --out r --separate --strict");
  EXPECT_EQ(o.code, 5) << o.err;
  EXPECT_CONTAINS(o.out, "% of its squared misfit comes from the other sites");
  EXPECT_CONTAINS(o.out, "data or scale of another site is wrong: leave out one XRF site");
  ASSERT_EQ(run("recon s/wrong.toml --out a --method pgd").code, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    const Json site = summary("r")["sites"][i];
    EXPECT_EQ(site["contradicted"], true) << site.dump();
    EXPECT_NEAR(site["fit_alone"].get<double>(), summary("a")["sites"][i]["fit"].get<double>(),
                0.05);
    EXPECT_GT(site["others_share"], 0.1);
  }
  // In chunks the slices are compared by themselves.
  ASSERT_EQ(run("recon s/wrong.toml --out c --set chunks=2").code, 0);
  EXPECT_EQ(summary("c")["sites"][3]["contradicted"], true);
  EXPECT_NEAR(summary("c")["sites"][3]["fit_alone"].get<double>(),
              summary("r")["sites"][3]["fit_alone"].get<double>(), 0.05);
}

// The advice of that warning.
TEST_F(Fit, IsGoodWithoutTheSiteThatIsWrong) {
  study_ = replaced(study_, "name = \"xrf-2\"", "name = \"xrf-2\"\nscale = 3");
  study_ = replaced(study_, "[study]\n", "[study]\nother = true\n");
  study_ = replaced(study_, "truth = \"truth.h5\"", "");
  const std::string wrong = study_;
  study_ = replaced(wrong, "scale = 3", "scale = 3\ncoupled = false");
  write("without");
  EXPECT_EQ(run("recon s/without.toml --out without --strict").code, 0);
  EXPECT_EQ(summary("without")["fits"], true);
  study_ = replaced(wrong, "name = \"xrf-1\"", "name = \"xrf-1\"\ncoupled = false");
  write("another");
  EXPECT_EQ(run("recon s/another.toml --out another --strict").code, 5);
}

TEST_F(Fit, TestsRadiansOnTheData) {
  study_ = replaced(study_, "name = \"xrf-1\"", "name = \"xrf-1\"\nangle_unit = \"rad\"");
  write("wrong");
  const Outcome o = run("recon s/wrong.toml --out r");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(summary("r")["fits"], false);
  EXPECT_CONTAINS(o.out, "angle_unit = \"deg\"");
}

TEST_F(Fit, WarnsAboutOverfittedNoise) {
  for (const char* site : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
    const std::string name = "name = \"" + std::string(site) + "\"";
    study_ = replaced(study_, name + "\nsigma = \"estimate\"", name + "\nsigma = 100");
  }
  write("wrong");
  const Outcome o = run("recon s/wrong.toml --out r");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_CONTAINS(o.out, "overfitted");
  EXPECT_CONTAINS(o.out, "sigma is too large");
}

TEST_F(Fit, IsAGuessWithoutSigma) {
  const Outcome o = run("recon s/study.toml --out r");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(summary("r")["sites"][0]["sigma_source"], "guess");
  EXPECT_CONTAINS(o.out, "a guess: the study does not give sigma");
}

}  // namespace
}  // namespace firm
