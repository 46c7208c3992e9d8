#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "io/study/quantity.h"
#include "io/study_lines.h"

namespace firm {
namespace {

TEST(StudyReader, ReadsEveryKey) {
  const TemporaryDirectory directory;
  const StudyFile s = read(directory, kGood);
  EXPECT_EQ(s.name, "a study");
  EXPECT_EQ(s.description, "for the tests");
  EXPECT_EQ(s.truth, "truth.h5");
  EXPECT_TRUE(s.other);
  EXPECT_EQ(s.rows, 16);
  EXPECT_EQ(s.columns, 12);
  EXPECT_EQ(s.slices, 2);
  EXPECT_EQ(s.pixel_size, 0.65 * kMicrometre);
  ASSERT_EQ(s.sites.size(), 2u);
  EXPECT_EQ(s.sites[0].name, "xrf-1");
  EXPECT_EQ(s.sites[0].kind, "xrf");
  EXPECT_EQ(s.sites[0].data, "xrf-1.h5");
  EXPECT_EQ(s.sites[0].coefficient, 56.07);
  EXPECT_EQ(s.sites[0].sigma, 2);
  EXPECT_EQ(s.sites[0].spacing, std::nullopt);
  EXPECT_EQ(s.sites[0].rotation_axis, std::nullopt);
  EXPECT_EQ(s.sites[0].line, 11);
  EXPECT_EQ(s.sites[1].spacing, 1e-4);
  EXPECT_EQ(s.sites[1].rotation_axis, 11);
  EXPECT_TRUE(s.sites[1].prepare.minus_log);
  EXPECT_FALSE(s.sites[1].sigma);
  EXPECT_EQ(s.sites[1].line, 17);
}

TEST(StudyReader, FlattensSettingsInTheOrderOfTheFile) {
  const TemporaryDirectory directory;
  const StudyFile s = read(directory, kGood);
  const std::vector<Setting> expected = {{"stop.discrepancy", "0.01", 25},
                                         {"method", "firm-ds", 26},
                                         {"step.fixed", "false", 27},
                                         {"rounds", "100", 28},
                                         {"log.every", "1", 30}};
  ASSERT_EQ(s.settings, expected);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(s.settings[k].line, expected[k].line) << expected[k].key;
  }
}

TEST(StudyReader, AcceptsMissingOptionalKeys) {
  const TemporaryDirectory directory;
  Lines lines = without(24, 30);
  for (const int number : {23, 22, 21, 16, 5, 4, 3}) {
    lines.erase(lines.begin() + number - 1);
  }
  const StudyFile s = read(directory, lines);
  EXPECT_EQ(s.truth, "");
  EXPECT_FALSE(s.other);
  EXPECT_TRUE(s.settings.empty());
  EXPECT_FALSE(s.sites[0].sigma);
  EXPECT_FALSE(s.sites[1].prepare.minus_log);
}

TEST(StudyReader, AcceptsOtherSpellingsOfToml) {
  const TemporaryDirectory directory;
  Lines lines = without(6, 10);
  lines.insert(lines.begin(),
               "image = { rows = 0x10, columns = 12, slices = 1, pixel_size = '1um' }\r");
  EXPECT_EQ(read(directory, lines).rows, 16);
  lines.front() = "image.rows = 16\nimage.columns = 1_2\nimage.slices = 1\nimage.pixel_size='1 um'";
  EXPECT_EQ(read(directory, lines).columns, 12);
}

TEST(StudyReader, RefusesUnreadableFiles) {
  const TemporaryDirectory directory;
  const std::string missing = directory / "none.toml";
  EXPECT_EQ(error_of([&] { read_study(missing); }),
            missing + ": expected a study that can be read, found No such file or directory");
  EXPECT_CONTAINS(error_of([&] { read_study(directory.path()); }), "found a directory");
  EXPECT_CONTAINS(error_of([&] { read_study(""); }), "a study that can be read");
}

TEST(StudyReader, RefusesInvalidToml) {
  expect_all_refused({
      {with(7, "rows = "), 7, "", {"expected TOML", "at column"}},
      {with(7, "rows 16"), 7, "", {"expected TOML"}},
      {with(8, "rows = 12"), 8, "", {"rows"}},
      {with(6, "[image"), 6, "", {"expected TOML"}},
      {with(2, "name = \"\xff\""), 2, "", {"expected TOML"}},
      {with(20, "[study]"), 20, "", {"study"}},
      {with(28, "rounds = 99999999999999999999"), 28, "", {"expected TOML"}},
  });
  const TemporaryDirectory directory;
  EXPECT_CONTAINS(error_of([&] { read(directory, {std::string(100, '\0')}); }), "expected TOML");
}

TEST(StudyReader, RefusesUnknownTables) {
  expect_all_refused({
      {with(24, "[solver]"),
       24,
       "[solver]",
       {"one of the tables [study], [image], [[site]], [solve]",
        "found [solver] (did you mean [solve]?)"}},
      {with(30, "[[sites]]"), 30, "[[sites]]", {"did you mean [[site]]?"}},
      {with(6, "[Image]"), 6, "[Image]", {"did you mean [image]?"}},
      {with(1, "rows = 3\n[study]"), 1, "rows", {"found rows"}},
      {with(30, "[zzzzzzzz.every]"), 30, "[zzzzzzzz]", {"found [zzzzzzzz]"}},
  });
}

TEST(StudyReader, RefusesUnknownKeys) {
  expect_all_refused({
      {with(15, "coeficient = 1"),
       15,
       "site[0].coeficient",
       {"one of the keys name, kind, scan, data, element, angles, angle_unit, axes, ", "scale, key",
        "found coeficient (did you mean coefficient?)"}},
      {with(7, "row = 16"), 7, "[image] row", {"rows, columns, slices, pixel_size", "mean rows?"}},
      {with(5, "others = true"), 5, "[study] others", {"name, description, truth, other"}},
      {with(5, "qqqqqqqq = true"), 5, "[study] qqqqqqqq", {"found qqqqqqqq"}},
      {with(7, "rows.x = 16\nro.x = 3"), 8, "[image] ro", {"one of the keys"}},
  });
}

TEST(StudyReader, SuggestsUnitsAndKinds) {
  expect_all_refused({
      {with(10, "pixel_size = \"1 UM\""), 10, "[image] pixel_size", {"did you mean \"1 um\"?"}},
      {with(10, "pixel_size = \"1 mikron\""), 10, "[image] pixel_size", {"mean \"1 micron\"?"}},
      {with(5, "energy = \"12 kev\""), 5, "[study] energy", {"did you mean \"12 keV\"?"}},
      {with(21, "shift = [\"1 um\", \"2 MM\"]"), 21, "site[1].shift", {"mean \"2 mm\"?"}},
      {with(13, "kind = \"XRF\""), 13, "site[0].kind", {"found \"XRF\" (did you mean xrf?)"}},
  });
}

TEST(StudyReader, RefusesMissingTablesAndKeys) {
  expect_all_refused({
      {without(1, 5), 1, "[study]", {"a table [study]", "found none"}},
      {without(6, 10), 1, "[image]", {"a table [image]", "found none"}},
      {without(11, 23), 1, "[[site]]", {"one table [[site]] per site", "found none"}},
      {{}, 1, "[study]", {"found none"}},
      {without(2, 2), 1, "[study] name", {"expected text, found no such key"}},
      {without(7, 7), 6, "[image] rows", {"a whole number from 1", "no such key"}},
      {without(8, 8), 6, "[image] columns", {"a whole number from 1", "no such key"}},
      {without(9, 9), 6, "[image] slices", {"a whole number from 1", "no such key"}},
      {without(10, 10), 6, "[image] pixel_size", {"pixel_size = \"1 um\"", "no such key"}},
      {without(12, 12), 11, "site[0].name", {"no such key"}},
      {without(13, 13), 11, "site[0].kind", {"no such key"}},
      {without(20, 20), 17, "site[1].data", {"no such key"}},
      {without(15, 15), 11, "site[0].coefficient", {"a positive number", "no such key"}},
  });
}

TEST(StudyReader, RefusesWrongTypes) {
  expect_all_refused({
      {with(2, "name = 3"), 2, "[study] name", {"expected text, found integer 3"}},
      {with(2, "name = 1979-05-27"), 2, "[study] name", {"found date 1979-05-27"}},
      {with(5, "other = 1"), 5, "[study] other", {"true or false", "found integer 1"}},
      {with(7, "rows = 16.0"), 7, "[image] rows", {"a whole number", "found float 16"}},
      {with(7, "rows = \"16\""), 7, "[image] rows", {"found text \"16\""}},
      {with(7, "rows = [16]"), 7, "[image] rows", {"found an array"}},
      {with(7, "rows.x = 16"), 7, "[image] rows", {"found a table"}},
      {with(15, "coefficient = \"1\""),
       15,
       "site[0].coefficient",
       {"a number and its unit (cm^2/g, m^2/kg)", "text \"1\""}},
      {with(15, "coefficient = true"), 15, "site[0].coefficient", {"found boolean true"}},
      {with(22, "rotation_axis = 07:32:00"), 22, "site[1].rotation_axis", {"found time 07:32:00"}},
      {with(23, "minus_log = \"yes\""), 23, "site[1].minus_log", {"true or false", "text \"yes\""}},
      {with(14, "data = [\"a.h5\"]"), 14, "site[0].data", {"expected text, found an array"}},
  });
}

TEST(StudyReader, RefusesTablesOfTheWrongShape) {
  Lines one_site = without(17, 23);
  one_site[10] = "[site]";
  Lines two_sites = kGood;
  two_sites[10] = two_sites[16] = "[site]";
  Lines numbers = without(11, 23);
  numbers.insert(numbers.begin(), "site = [1, 2]");
  Lines solve = without(24, 30);
  solve.insert(solve.begin(), "solve = 3");
  Lines study = without(1, 5);
  study.insert(study.begin(), "[[study]]\nname = \"a\"");
  expect_all_refused({
      {one_site, 11, "[[site]]", {"in double brackets", "found [site]; write [[site]]"}},
      {two_sites, 17, "", {"expected TOML", "write [[site]], in double brackets, for every site"}},
      {numbers, 1, "[[site]]", {"in double brackets", "found an array"}},
      {solve, 1, "[solve]", {"a table [solve]", "found integer 3"}},
      {study, 1, "[study]", {"a table [study]", "found an array"}},
  });
}

TEST(StudyReader, RefusesNumbersOutOfRange) {
  expect_all_refused({
      {with(7, "rows = 0"), 7, "[image] rows", {"a whole number from 1 to 32768", "integer 0"}},
      {with(7, "rows = 32769"), 7, "[image] rows", {"found integer 32769"}},
      {with(8, "columns = -12"), 8, "[image] columns", {"found integer -12"}},
      {with(9, "slices = 4294967297"), 9, "[image] slices", {"found integer 4294967297"}},
      {with(15, "coefficient = 0"), 15, "site[0].coefficient", {"a positive number", "integer 0"}},
      {with(15, "coefficient = -0.1"), 15, "site[0].coefficient", {"found float -0.1"}},
      {with(15, "coefficient = nan"), 15, "site[0].coefficient", {"found float nan"}},
      {with(15, "coefficient = inf"), 15, "site[0].coefficient", {"a finite number"}},
      {with(16, "sigma = 0.0"), 16, "site[0].sigma", {"a positive number", "found float 0"}},
      {with(16, "sigma = -1"), 16, "site[0].sigma", {"found integer -1"}},
      {with(16, "sigma = nan"), 16, "site[0].sigma", {"found float nan"}},
      {with(22, "rotation_axis = -inf"), 22, "site[1].rotation_axis", {"finite", "float -inf"}},
  });
}

TEST(StudyReader, RefusesInvalidLengths) {
  const auto pixel_size = [](const std::string& value, const std::string& found) {
    return Refusal{with(10, "pixel_size = " + value),
                   10,
                   "[image] pixel_size",
                   {"positive length and its unit (nm, um, mm, cm, m)", "\"1 um\"", found}};
  };
  expect_all_refused({
      pixel_size("\"1\"", "found text \"1\""),
      pixel_size("\"1 furlong\"", "found text \"1 furlong\""),
      pixel_size("\"0 um\"", "found text \"0 um\""),
      pixel_size("\"-1 um\"", "found text \"-1 um\""),
      pixel_size("\"um\"", "found text \"um\""),
      pixel_size("\"\"", "found text \"\""),
      pixel_size("1", "found integer 1"),
      pixel_size("0.5", "found float 0.5"),
      {with(21, "spacing = 1e-4"), 21, "site[1].spacing", {"spacing = \"1 um\"", "float 0.0001"}},
      {with(21, "spacing = \"1e-400 cm\""), 21, "site[1].spacing", {"text \"1e-400 cm\""}},
  });
}

TEST(StudyReader, RefusesNamesThatAreNoFileNames) {
  for (const char* name :
       {"", "..", ".hidden", "a/b", "a b", "xr\u00fc", "other", "a\\\\b", "a\\n"}) {
    expect_refused({with(12, "name = \"" + std::string(name) + "\""),
                    12,
                    "site[0].name",
                    {"letters, digits, '-', '_' and '.'"}});
  }
  expect_all_refused({
      {with(12, "name = \"xrt\""),
       18,
       "site[1].name",
       {"a name that no other site has", "the name of the site in line 11"}},
      {with(2, "name = \"\""), 2, "[study] name", {"not empty"}},
      {with(4, "truth = \"\""), 4, "[study] truth", {"not empty"}},
      {with(14, "data = \"\""), 14, "site[0].data", {"not empty", "found \"\""}},
  });
  const TemporaryDirectory directory;
  EXPECT_EQ(read(directory, with(12, "name = \"Fe_K.2-a\"")).sites[0].name, "Fe_K.2-a");
}

TEST(StudyReader, RefusesStudiesWithMissingKinds) {
  Lines two_xrt = kGood;
  two_xrt.insert(two_xrt.begin() + 23, "[[site]]\nname = \"b\"\ndata = \"b.h5\"\nkind = \"xrt\"");
  expect_all_refused({
      {with(13, "kind = \"XRF\""), 13, "site[0].kind", {R"("xrf" or "xrt", found "XRF")"}},
      {without(17, 23), 11, "[[site]]", {"a site of kind \"xrt\"", "found none"}},
      {without_xrf_and_other(),
       11,
       "[[site]]",
       {"a site of kind \"xrf\"", "other = true", "found none"}},
      {two_xrt, 27, "site[2].kind", {"one site of kind \"xrt\"", "the first is in line 17"}},
      {with(22, "coefficient = 1"), 22, "site[1].coefficient", {"no such key for kind \"xrt\""}},
      {with(16, "minus_log = false"), 16, "site[0].minus_log", {"no such key for kind \"xrf\""}},
  });
}

TEST(StudyReader, RefusesSettingsOfOtherTypes) {
  expect_all_refused({
      {with(28, "rounds = [1, 2]"), 28, "[solve] rounds", {"an array of texts", "found an array"}},
      {with(28, "rounds = 1979-05-27"), 28, "[solve] rounds", {"found date 1979-05-27"}},
      {with(30, "every = 07:32:00"), 30, "[solve] log.every", {"found time 07:32:00"}},
      {with(25, "stop = { at = { a = [] } }"), 25, "[solve] stop.at.a", {"found an array"}},
      {with(25, "stop = {}"), 25, "[solve] stop", {"found an empty table"}},
      {with(28, "\"log.every\" = 3"), 28, "[solve] log.every", {"letters, digits"}},
      {with(28, "\"\" = 3"), 28, "[solve] ", {"letters, digits"}},
  });
}

}  // namespace
}  // namespace firm
