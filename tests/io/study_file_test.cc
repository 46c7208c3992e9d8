#include "io/study/study_file.h"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include "firm/error.h"
#include "io/study/quantity.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

SiteEntry xrf_site() {
  SiteEntry s;
  s.name = "xrf-1";
  s.kind = "xrf";
  s.data = "xrf-1.h5";
  s.coefficient = 0.1;
  s.spacing = 1e-4;
  s.rotation_axis = 177;
  return s;
}

SiteEntry xrt_site() {
  SiteEntry s;
  s.name = "xrt";
  s.kind = "xrt";
  s.data = "xrt.h5";
  s.sigma = 0.25;
  s.spacing = 2e-4;
  s.rotation_axis = 170.5;
  s.prepare.minus_log = true;
  return s;
}

StudyFile example() {
  StudyFile s;
  s.name = "an example";
  s.description = "with \"quotes\", a \\ and\nanother line, \u00b5m";
  s.truth = "truth.h5";
  s.rows = 250;
  s.columns = 200;
  s.slices = 3;
  s.pixel_size = 0.65 * kMicrometre;
  s.sites = {xrf_site(), xrt_site()};
  s.settings = {{"stop.discrepancy", "0.01"}, {"method", "firm-ds"}};
  return s;
}

toml::table parse(const StudyFile& study) {
  const TemporaryDirectory directory;
  write_study(directory / "study.toml", study);
  return toml::parse(file_content(directory / "study.toml"));
}

TEST(StudyFile, IsValidToml) {
  const StudyFile s = example();
  const toml::table t = parse(s);
  EXPECT_EQ(t["study"]["name"].value<std::string>(), s.name);
  EXPECT_EQ(t["study"]["description"].value<std::string>(), s.description);
  EXPECT_EQ(t["study"]["truth"].value<std::string>(), "truth.h5");
  EXPECT_EQ(t["image"]["rows"].value<int>(), 250);
  EXPECT_EQ(t["image"]["columns"].value<int>(), 200);
  EXPECT_EQ(t["image"]["slices"].value<int>(), 3);
  EXPECT_EQ(t["image"]["pixel_size"].value<std::string>(), "0.65 um");
  EXPECT_EQ(t["solve"]["method"].value<std::string>(), "firm-ds");
  EXPECT_EQ(t["solve"]["stop"]["discrepancy"].value<double>(), 0.01);
}

TEST(StudyFile, WritesTheKeysOfEachKindOfSite) {
  const toml::table t = parse(example());
  ASSERT_EQ(t["site"].as_array()->size(), 2u);
  const auto xrf = t["site"][0];
  EXPECT_EQ(xrf["name"].value<std::string>(), "xrf-1");
  EXPECT_EQ(xrf["kind"].value<std::string>(), "xrf");
  EXPECT_EQ(xrf["data"].value<std::string>(), "xrf-1.h5");
  EXPECT_EQ(xrf["coefficient"].value<double>(), 0.1);
  EXPECT_EQ(xrf["spacing"].value<std::string>(), "1 um");
  EXPECT_TRUE(xrf["rotation_axis"].is_floating_point());
  EXPECT_EQ(xrf["rotation_axis"].value<double>(), 177);
  EXPECT_FALSE(xrf["minus_log"]);
  EXPECT_FALSE(xrf["sigma"]);
  const auto xrt = t["site"][1];
  EXPECT_FALSE(xrt["coefficient"]);
  EXPECT_EQ(xrt["minus_log"].value<bool>(), true);
  EXPECT_EQ(xrt["rotation_axis"].value<double>(), 170.5);
  EXPECT_EQ(xrt["sigma"].value<double>(), 0.25);
}

TEST(StudyFile, OmitsUnusedKeys) {
  StudyFile s = example();
  s.truth.clear();
  s.settings.clear();
  s.sites[0].spacing.reset();
  s.sites[0].rotation_axis.reset();
  const toml::table t = parse(s);
  EXPECT_FALSE(t["study"]["truth"]);
  EXPECT_FALSE(t["study"]["other"]);
  EXPECT_FALSE(t["site"][0]["spacing"]);
  EXPECT_FALSE(t["site"][0]["rotation_axis"]);
  EXPECT_FALSE(t["solve"]);
}

TEST(StudyFile, ExplainsTheStopRule) {
  const TemporaryDirectory directory;
  write_study(directory / "study.toml", example());
  EXPECT_CONTAINS(file_content(directory / "study.toml"),
                  "[solve]\nmethod = \"firm-ds\"\n# Stop when every site fits its data as well as "
                  "noise of this level allows.\nstop.discrepancy = 0.01\n");
}

TEST(StudyFile, RestoresTypesOfSettings) {
  StudyFile s = example();
  s.settings = {{"a", "3"},     {"b", "-0.5"}, {"c", "true"},  {"d", "007"},
                {"e", "1e400"}, {"f", "inf"},  {"g", "1e-09"}, {"h.i-j_k.l", "x"}};
  const toml::table t = parse(s);
  const auto solve = t["solve"];
  EXPECT_TRUE(solve["a"].is_integer());
  EXPECT_EQ(solve["b"].value<double>(), -0.5);
  EXPECT_EQ(solve["c"].value<bool>(), true);
  EXPECT_EQ(solve["d"].value<std::string>(), "007");
  EXPECT_EQ(solve["e"].value<std::string>(), "1e400");
  EXPECT_EQ(solve["f"].value<std::string>(), "inf");
  EXPECT_EQ(solve["g"].value<double>(), 1e-9);
  EXPECT_EQ(solve["h"]["i-j_k"]["l"].value<std::string>(), "x");
}

TEST(StudyFile, KeepsNumbersExactly) {
  StudyFile s = example();
  for (const double value : {1.0 / 3, 56.07, 1e-7, 1e22, 146.9}) {
    s.sites[0].coefficient = value;
    EXPECT_EQ(parse(s)["site"][0]["coefficient"].value<double>(), value);
  }
}

StudyFile there_and_back(const StudyFile& study) {
  const TemporaryDirectory directory;
  write_study(directory / "study.toml", study);
  return read_study(directory / "study.toml");
}

TEST(StudyFile, ReadsWhatItWrote) {
  StudyFile s = example();
  EXPECT_EQ(there_and_back(s), s);
  s.other = true;
  s.truth.clear();
  s.description.clear();
  s.sites[0].spacing.reset();
  s.sites[0].rotation_axis.reset();
  s.sites[1].prepare.minus_log = false;
  s.settings.clear();
  EXPECT_EQ(there_and_back(s), s);
}

TEST(StudyFile, KeepsEveryNumber) {
  StudyFile s = example();
  for (const double value :
       {1.0 / 3, 56.07, 1e-7, 1e22, 146.9, 0.65e-4, 1e-300, 1e15, 123456789.0}) {
    s.pixel_size = value;
    s.sites[0].coefficient = value;
    s.sites[0].spacing = value / 3;
    s.sites[0].rotation_axis = -value;
    s.sites[1].sigma = value;
    EXPECT_EQ(there_and_back(s), s) << value;
  }
}

TEST(StudyFile, KeepsEverySetting) {
  StudyFile s = example();
  s.settings.clear();
  int count = 0;
  for (const char* value : {"firm-ds",
                            "0",
                            "-0",
                            "00",
                            "1",
                            "-17",
                            "9223372036854775807",
                            "9223372036854775808",
                            "0.1",
                            "1e-05",
                            "1e+22",
                            "1e22",
                            "1.0",
                            "1.",
                            ".5",
                            "+1",
                            "1_000",
                            "0x10",
                            "inf",
                            "nan",
                            "-inf",
                            "true",
                            "false",
                            "True",
                            "",
                            " 1",
                            "1 ",
                            R"(a "quoted" \ text)",
                            "two\nlines",
                            "\x01\x7f",
                            "1979-05-27",
                            "\u00b5m # no comment",
                            "[1]"}) {
    s.settings.push_back({"table.key-" + std::to_string(count++), value});
  }
  EXPECT_EQ(there_and_back(s), s);
}

TEST(StudyFile, EqualityIgnoresLinesAndOrder) {
  const StudyFile s = example();
  StudyFile other = s;
  other.sites[0].line = 7;
  other.settings[0].line = 8;
  std::swap(other.settings[0], other.settings[1]);
  EXPECT_EQ(other, s);
  const auto differs = [&](auto change) {
    StudyFile changed = s;
    change(changed);
    EXPECT_FALSE(changed == s);
  };
  differs([](StudyFile& x) { x.other = true; });
  differs([](StudyFile& x) { x.sites[0].sigma = 2; });
  differs([](StudyFile& x) { x.sites[0].spacing.reset(); });
  differs([](StudyFile& x) { x.sites.pop_back(); });
  differs([](StudyFile& x) { x.settings.pop_back(); });
  differs([](StudyFile& x) { x.settings[0].value = "0.02"; });
}

TEST(StudyFile, RefusesUnwritablePath) {
  EXPECT_THROW(write_study("/nonexistent/study.toml", example()), Error);
}

}  // namespace
}  // namespace firm
