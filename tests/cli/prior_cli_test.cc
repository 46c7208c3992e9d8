// `firm recon --prior tv`: options, results, layouts, resuming, refusals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "core/child_process.h"
#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "support/command_line.h"
#include "support/wait_until.h"

namespace firm {
namespace {

constexpr double kPatience = 600;  // seconds; only a failing test waits that long

class PriorRun : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --out s --size 32 --angles 16 --slices 2 --noise 0.1").code, 0);
  }

  void recon(const std::string& out, const std::string& options) {
    const Outcome o = run("recon s/study.toml --out " + out + " " + options);
    ASSERT_EQ(o.code, 0) << o.err;
  }
  // Values of all images; the file also has the study, with options that do not matter here.
  std::vector<float> images(const std::string& out) {
    std::vector<float> all;
    for (const std::string site : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
      const Block image = read_images(directory_ / (out + "/images.h5"), site);
      all.insert(all.end(), image.values().begin(), image.values().end());
    }
    return all;
  }
  double strength(const std::string& out) { return summary(out).at("prior").at("strength"); }
  void expect_near(const std::string& a, const std::string& b, double tolerance) {
    for (const char* key : {"objective", "lambda_max"}) {
      const double value = summary(a).at(key);
      EXPECT_NEAR(summary(b).at(key).get<double>(), value, tolerance * value) << key;
    }
    EXPECT_NEAR(strength(b), strength(a), tolerance * strength(a));
  }
};

TEST_F(PriorRun, TellsStrengthCurveAndWeights) {
  recon("run", "--prior tv");
  const auto all = summary("run");
  const auto& prior = all.at("prior");
  EXPECT_EQ(prior.at("kind"), "tv");
  EXPECT_EQ(prior.at("automatic"), true);
  EXPECT_GT(prior.at("strength"), 0);
  EXPECT_EQ(prior.at("curve").size(), 11u);
  EXPECT_EQ(prior.at("curve")[0][0], 4);
  EXPECT_EQ(prior.at("lambda").size(), 3u);
  EXPECT_GE(all.at("kkt").at("gap"), 0);
  EXPECT_EQ(all.at("options").at("prior.kind"), "tv");
  EXPECT_EQ(all.at("options").at("prior.strength"), "auto");
  EXPECT_EQ(all.at("options").at("stop.discrepancy"), 0.1);
}

TEST_F(PriorRun, IsCheckedWithMethod) {
  EXPECT_EQ(run("check s/study.toml --set prior.kind=tv").code, 0);
  const Outcome o = run("check s/study.toml --set prior.kind=tv --method firm");
  EXPECT_EQ(o.code, 2);
  EXPECT_CONTAINS(o.out + o.err, "supports a prior (firm-ds, pgd)");
}

TEST_F(PriorRun, IsShortForSetting) {
  recon("short", "--prior tv --set prior.strength=0.5");
  recon("long", "--set prior.kind=tv --set prior.strength=0.5");
  EXPECT_TRUE(images("short") == images("long"));
  EXPECT_EQ(summary("short").at("prior").at("automatic"), false);
  EXPECT_TRUE(summary("short").at("prior").at("curve").empty());
}

TEST_F(PriorRun, IsAbsentByDefault) {
  recon("plain", "");
  recon("none", "--prior none");
  EXPECT_TRUE(images("plain") == images("none"));
  EXPECT_FALSE(summary("plain").contains("prior"));
  EXPECT_FALSE(summary("plain").at("kkt").contains("gap"));
}

TEST_F(PriorRun, IsRepeatedByResolvedStudy) {
  recon("run", "--prior tv");
  const Outcome o = run("recon run/study.toml --out again");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(images("again") == images("run"));
}

TEST_F(PriorRun, AgreesSiteBySite) {
  recon("together", "--prior tv --set threads=1");
  recon("threads", "--prior tv --set threads=2");
  recon("separate", "--prior tv --separate");
  EXPECT_TRUE(images("threads") == images("together"));
  expect_near("together", "separate", 1e-3);
  EXPECT_EQ(summary("separate").at("prior").at("lambda").size(), 3u);
}

TEST_F(PriorRun, ResumesToSameBytes) {
  recon("one", "--prior tv");
  recon("seven", "--prior tv --set seed=7");
  ASSERT_NE(strength("seven"), strength("one"));
  const std::string start = "recon s/study.toml --prior tv --set ds.local_steps=3 ";
  for (const std::string mode : {"", " --separate"}) {
    const std::string name = mode.empty() ? "together" : "separate";
    ASSERT_EQ(run(start + "--out " + name + " --set stop.rounds=5" + mode).code, 5);
    ASSERT_EQ(run(start + "--out " + name + "-parts --set stop.rounds=2" + mode).code, 5);
    // With this seed a new search would find another strength.
    const Outcome o = run("recon s/study.toml --resume --out " + name +
                          "-parts --set stop.rounds=5 --set seed=7" + mode);
    ASSERT_EQ(o.code, 5) << o.err;
    EXPECT_TRUE(images(name + "-parts") == images(name));
    EXPECT_EQ(summary(name + "-parts").at("prior"), summary(name).at("prior"));
    EXPECT_EQ(summary(name + "-parts").at("exchanges"), summary(name).at("exchanges"));
  }
}

TEST_F(PriorRun, ResumesAfterKill) {
  const std::string options = "--prior tv --set stop.kkt=1e-12 --set ds.local_steps=1 ";
  ASSERT_EQ(run("recon s/study.toml --out whole --set stop.rounds=400 " + options).code, 5);
  ASSERT_EQ(run("recon s/study.toml --out parts --set stop.rounds=20 " + options).code, 5);
  ChildProcess child({FIRM_PROGRAM, "recon", directory_ / "s/study.toml", "--resume", "--out",
                      directory_ / "parts", "--set", "stop.rounds=1000000"});
  const std::string history_file = directory_ / "parts/history.jsonl";
  EXPECT_TRUE(wait_until(kPatience, [&] {
    return file_content(history_file).find("\"round\":30,") != std::string::npos;
  }));
  child.send(SIGKILL);
  EXPECT_EQ(child.wait(kPatience), 128 + SIGKILL);
  const Outcome o = run("recon s/study.toml --resume --out parts --set stop.rounds=400");
  ASSERT_EQ(o.code, 5) << o.err;
  EXPECT_TRUE(images("parts") == images("whole"));
}

TEST_F(PriorRun, FindsStrengthOfEachChunk) {
  recon("run", "--prior tv --set chunks=2");
  const auto all = summary("run");
  ASSERT_EQ(all.at("chunks").size(), 2u);
  const double first = all.at("chunks")[0].at("prior").at("strength");
  const double second = all.at("chunks")[1].at("prior").at("strength");
  EXPECT_NE(first, second);
  EXPECT_TRUE(all.at("prior").at("strength").is_null());
  recon("given", "--prior tv --set chunks=2 --set prior.strength=0.5");
  EXPECT_EQ(summary("given").at("prior").at("strength"), 0.5);
}

TEST_F(PriorRun, ComparesSlicesOnlyIfAllAreThere) {
  recon("run", "--prior tv --set prior.slices=true");
  expect_error(
      run("recon s/study.toml --out chunks --prior tv --set prior.slices=true --set chunks=2"), 2,
      "prior.slices: expected all 2 slices at once, found 1 of them");
}

TEST_F(PriorRun, UsesSliceSpacing) {
  const std::string options = " --prior tv --set prior.strength=1 --set prior.slices=true --out ";
  ASSERT_EQ(run("recon s/study.toml" + options + "pixel").code, 0);
  const std::string text = file_content(directory_ / "s/study.toml");
  const auto with_spacing = [&](const std::string& value) {
    write_text_file(
        directory_ / "s/t.toml",
        replaced(text, "pixel_size = \"1 um\"", "pixel_size = \"1 um\"\nslice_spacing = " + value));
  };
  with_spacing("\"1 um\"");
  ASSERT_EQ(run("recon s/t.toml" + options + "same").code, 0);
  EXPECT_TRUE(images("same") == images("pixel"));
  with_spacing("\"5 um\"");
  ASSERT_EQ(run("recon s/t.toml" + options + "wide").code, 0);
  EXPECT_FALSE(images("wide") == images("pixel"));
  EXPECT_CONTAINS(file_content(directory_ / "wide/study.toml"), "slice_spacing = \"5 um\"");
  with_spacing("\"0 um\"");
  expect_error(run("recon s/t.toml" + options + "zero"), 2, "slice_spacing");
}

TEST_F(PriorRun, RejectsWrongOptions) {
  const std::string start = "recon s/study.toml --out r --prior ";
  expect_error(run(start + "TV"), 2, "prior.kind: expected one of none, tv, found 'TV'");
  for (const std::string strength : {"0", "-1", "nan", "much"}) {
    expect_error(run(start + "tv --set prior.strength=" + strength), 2,
                 "prior.strength: expected auto or a number above 0, found '" + strength + "'");
  }
  expect_error(run(start + "tv --set prior.inner=0"), 2, "prior.inner");
  for (const std::string method : {"firm", "firm+", "fedpgd", "plsqr"}) {
    expect_error(run(start + "tv --method " + method), 2,
                 "expected one that supports a prior (firm-ds, pgd), found " + method);
  }
}

}  // namespace
}  // namespace firm
