#include "io/study_file.h"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include "firm/error.h"
#include "temporary_directory.h"

namespace firm {
namespace {

StudyFile example() {
  StudyFile s;
  s.name = "an example";
  s.description = "with \"quotes\", a \\ and\nanother line, \u00b5m";
  s.truth = "truth.h5";
  s.rows = 250;
  s.columns = 200;
  s.slices = 3;
  s.pixel_size = 0.65e-4;
  s.sites.push_back({"xrf-1", "xrf", "xrf-1.h5", 0.1, 1e-4, 177, false});
  s.sites.push_back({"xrt", "xrt", "xrt.h5", 0, 2e-4, 170.5, true});
  s.method = "firm-ds";
  s.discrepancy = 0.01;
  return s;
}

toml::table parse(const StudyFile& study) {
  const TemporaryDirectory directory;
  write_study(directory / "study.toml", study);
  return toml::parse(file_content(directory / "study.toml"));
}

TEST(StudyFile, ParsesAsToml) {
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

TEST(StudyFile, ListsTheSitesWithWhatBelongsToTheirKind) {
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
  const auto xrt = t["site"][1];
  EXPECT_FALSE(xrt["coefficient"]);
  EXPECT_EQ(xrt["minus_log"].value<bool>(), true);
  EXPECT_EQ(xrt["rotation_axis"].value<double>(), 170.5);
}

TEST(StudyFile, LeavesOutWhatDoesNotApply) {
  StudyFile s = example();
  s.truth.clear();
  s.discrepancy = 0;
  const toml::table t = parse(s);
  EXPECT_FALSE(t["study"]["truth"]);
  EXPECT_FALSE(t["solve"]["stop"]);
}

TEST(StudyFile, KeepsNumbersExactly) {
  StudyFile s = example();
  for (const double value : {1.0 / 3, 56.07, 1e-7, 1e22, 146.9}) {
    s.sites[0].coefficient = value;
    EXPECT_EQ(parse(s)["site"][0]["coefficient"].value<double>(), value);
  }
}

TEST(StudyFile, ThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_study("/nonexistent/study.toml", example()), Error);
}

}  // namespace
}  // namespace firm
