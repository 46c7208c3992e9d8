// The tables [[site]] of a study: data files, preparation, physics, geometry.
#include <cmath>

#include "io/study_lines.h"

namespace firm {
namespace {

TEST(StudySites, ReadsPreparation) {
  const TemporaryDirectory directory;
  const StudyFile s =
      read(directory,
           with(23,
                "minus_log = true\nangles = \"a.txt\"\nangle_unit = \"rad\"\naxes = \"y:theta:x\"\n"
                "monitor = \"/i0\"\nshifts = \"stage.txt\"\n"
                "first_slice = 4\nbinning = 2\nsaturation = 65535\nzingers = 0.3\n"
                "normalize = \"air\"\nair = 10\nclip_low = 1e-3\nclip_high = 1\n"
                "bad_values = \"mask\"\nrings = 9\nshift = [\"1 um\", \"-2 um\"]\n"
                "angle_offset = \"0.5 deg\"\nreverse_angles = true"));
  const SiteEntry& site = s.sites[1];
  const Preparation& p = site.prepare;
  EXPECT_EQ(site.angles, "a.txt");
  EXPECT_EQ(site.angle_unit, "rad");
  EXPECT_EQ(site.axes, "y:theta:x");
  EXPECT_EQ(site.monitor, "/i0");
  EXPECT_EQ(site.shifts.file, "stage.txt");
  EXPECT_EQ(site.first_slice, 4);
  EXPECT_EQ(site.binning, 2);
  EXPECT_EQ(site.shift_x, 1e-4);
  EXPECT_EQ(site.shift_y, -2e-4);
  EXPECT_EQ(site.angle_offset, 0.5);
  EXPECT_TRUE(site.reverse_angles);
  EXPECT_EQ(p.saturation, 65535);
  EXPECT_EQ(p.zingers, 0.3);
  EXPECT_EQ(p.normalize, "air");
  EXPECT_EQ(p.air, 10);
  EXPECT_EQ(p.clip_low, 1e-3);
  EXPECT_EQ(p.clip_high, 1);
  EXPECT_EQ(p.bad_values, "mask");
  EXPECT_EQ(p.rings, 9);
  write_study(directory / "again.toml", s);
  EXPECT_TRUE(read_study(directory / "again.toml") == s);
}

TEST(StudySites, ReadsWhatAScanGotWrong) {
  const TemporaryDirectory directory;
  Lines lines = with(23,
                     "scan = \"A.1\"\nminus_log = true\nshifts = [0.1, -2, 3e-7]\n"
                     "shifts_vertical = \"rows.txt\"\ngain = [1, 0.333333333333333315]\n"
                     "angle_scale = 1.014\nlag = 14");
  lines[15] =
      "element = \"W\"\nscan = \"A.1\"\nunmix = {Au = 0.095, \"Fe K\" = 1}\n"
      "scale = \"auto\"\ngain = \"beam.npy\"\nlag = 0";
  const StudyFile s = read(directory, lines);
  const SiteEntry& xrf = s.sites[0];
  EXPECT_EQ(xrf.scan, "A.1");
  EXPECT_EQ(xrf.prepare.unmix, (std::map<std::string, double>{{"Au", 0.095}, {"Fe K", 1}}));
  EXPECT_TRUE(xrf.prepare.find_scale);
  EXPECT_FALSE(xrf.prepare.scale);
  EXPECT_EQ(xrf.prepare.gain, (PerAngle{"beam.npy", {}}));
  EXPECT_EQ(xrf.prepare.lag, 0);
  const SiteEntry& xrt = s.sites[1];
  EXPECT_EQ(xrt.scan, "A.1");
  EXPECT_EQ(xrt.shifts, (PerAngle{"", {0.1, -2, 3e-7}}));
  EXPECT_EQ(xrt.shifts_vertical, (PerAngle{"rows.txt", {}}));
  EXPECT_EQ(xrt.prepare.gain, (PerAngle{"", {1, 1.0 / 3}}));
  EXPECT_EQ(xrt.angle_scale, 1.014);
  EXPECT_EQ(xrt.prepare.lag, 14);
  write_study(directory / "again.toml", s);
  EXPECT_TRUE(read_study(directory / "again.toml") == s);
}

TEST(StudySites, WritesNumbersPerAngleExactly) {
  const TemporaryDirectory directory;
  StudyFile s = read(directory, with(23, "minus_log = true"));
  for (int k = 0; k < 200; ++k) {
    s.sites[0].shifts.values.push_back(std::sin(k) * std::pow(10, k % 20 - 10));
    s.sites[1].prepare.gain.values.push_back(std::exp(std::sin(k)));
  }
  write_study(directory / "again.toml", s);
  EXPECT_TRUE(read_study(directory / "again.toml") == s);
}

TEST(StudySites, NamesFilesWithNumbersPerAngle) {
  SiteEntry site;
  site.data = "a.h5";
  site.shifts.file = "b";
  site.shifts_vertical.file = "c";
  site.prepare.gain.file = "d";
  std::vector<std::string> names;
  for (const std::string* name : file_names(site)) names.push_back(*name);
  EXPECT_EQ(names, (std::vector<std::string>{"a.h5", "b", "c", "d"}));
}

TEST(StudySites, RefusesInvalidScans) {
  expect_all_refused({
      {with(23, "scan = \"a b\""), 23, "site[1].scan", {"letters"}},
      {with(23, "shifts = []"), 23, "site[1].shifts", {"empty array"}},
      {with(23, "shifts = 2"), 23, "site[1].shifts", {"an array of numbers", "integer 2"}},
      {with(23, "shifts_vertical = [1, nan]"), 23, "site[1].shifts_vertical", {"in place 1"}},
      {with(23, "shifts = [1, \"2\"]"), 23, "site[1].shifts", {"text \"2\" in place 1"}},
      {with(23, "gain = [1, 0]"), 23, "site[1].gain", {"above 0", "0 at angle 1"}},
      {with(23, "angle_scale = 0"), 23, "site[1].angle_scale", {"positive"}},
      {with(23, "lag = -1"), 23, "site[1].lag", {"beamlets from 0"}},
      {with(23, "unmix = {Au = 0.1}"), 23, "site[1].unmix", {"a key of kind \"xrf\""}},
      {with(16, "element = \"W\"\nunmix = {Au = 1.5}"), 17, "site[0].unmix", {"at most 1"}},
      {with(16, "element = \"W\"\nunmix = {}"), 17, "site[0].unmix", {"empty table"}},
      {with(16, "element = \"W\"\nunmix = {W = 0.1}"), 17, "site[0].unmix", {"other elements"}},
      {with(16, "scale = \"automatic\""), 16, "site[0].scale", {"\"auto\""}},
  });
}

TEST(StudySites, LooksCoefficientsUp) {
  const TemporaryDirectory directory;
  const auto coefficient = [&](const std::string& line) {
    Lines lines = with(15, line);
    lines[4] = "energy = \"12 keV\"";
    return read(directory, lines).sites[0].coefficient;
  };
  EXPECT_NEAR(coefficient("element = \"Fe\""), 104.699, 1e-3);
  EXPECT_EQ(coefficient("element = \"Fe_K\""), coefficient("element = \"Fe\""));
  const double oxygen = coefficient("element = \"O\"");
  EXPECT_NEAR(coefficient("element = \"Fe\"\ncompound = \"Fe2O3\""),
              (2 * 55.845 * 104.699 + 3 * 15.999 * oxygen) / (2 * 55.845 + 3 * 15.999), 0.02);
  EXPECT_EQ(coefficient("element = \"Fe\"\ncoefficient = 2.5"), 2.5);
  EXPECT_EQ(coefficient("coefficient = \"0.25 m^2/kg\""), 2.5);
}

TEST(StudySites, ReadsSitesThatAreNotCoupled) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(read(directory, kGood).sites[0].coupled);
  EXPECT_TRUE(read(directory, with(15, "coefficient = 2\ncoupled = true")).sites[0].coupled);
  const StudyFile s = read(directory, with(15, "coefficient = 2\ncoupled = false"));
  EXPECT_FALSE(s.sites[0].coupled);
  EXPECT_EQ(s.sites[0].coefficient, 2);
  EXPECT_FALSE(s == read(directory, with(15, "coefficient = 2")));
  write_study(directory / "again.toml", s);
  EXPECT_TRUE(read_study(directory / "again.toml") == s);
  expect_all_refused({
      {with(15, "coefficient = 2\ncoupled = 0"), 16, "site[0].coupled", {"true or false", "0"}},
      {with(23, "minus_log = true\ncoupled = false"), 24, "site[1].coupled", {"xrf"}},
      {with(15, "coupled = false"), 11, "site[0].coefficient", {}},
  });
}

TEST(StudySites, RefusesUnknownCoefficients) {
  const auto at_12_kev = [](const std::string& line) {
    Lines lines = with(15, line);
    lines[4] = "energy = \"12 keV\"";
    return lines;
  };
  expect_all_refused({
      {with(15, "element = \"Fe\""), 11, "site[0].coefficient", {"[study] energy"}},
      {at_12_kev("element = \"COMPTON\""),
       11,
       "site[0].coefficient",
       {"to look it up", "element = \"COMPTON\""}},
      {at_12_kev("element = \"fe\""), 11, "site[0].coefficient", {"\"fe\" (did you mean Fe?)"}},
      {at_12_kev("compound = \"FE\""), 11, "site[0].coefficient", {"at 12 keV (did you mean Fe?)"}},
      {at_12_kev("compound = \"Fe2Oo\""),
       11,
       "site[0].coefficient",
       {"tables of xraylib", "\"Fe2Oo\" at 12 keV"}},
      {with(5, "energy = 12"), 5, "[study] energy", {"eV, keV, MeV", "\"12.1 keV\"", "integer 12"}},
      {with(5, "energy = \"-1 keV\""), 5, "[study] energy", {"above 0"}},
  });
}

TEST(StudySites, RefusesInvalidPreparations) {
  expect_all_refused({
      {with(23, "normalize = \"flats\""), 23, "site[1].normalize", {"\"auto\"", "mean flat?"}},
      {with(23, "normalize = \"air\""), 17, "site[1].air", {"air = 10"}},
      {with(23, "clip_low = 2\nclip_high = 1"), 24, "site[1].clip_high", {"above clip_low = 2"}},
      {with(23, "bad_values = \"ignore\""), 23, "site[1].bad_values", {"\"error\", \"mask\""}},
      {with(23, "rings = 2"), 23, "site[1].rings", {"whole number from 3"}},
      {with(23, "axis_search = 5"), 23, "site[1].axis_search", {"rotation_axis = \"auto\""}},
      {with(22, "rotation_axis = \"middle\""), 22, "site[1].rotation_axis", {"\"auto\""}},
      {with(23, "shift = [\"1 um\"]"), 23, "site[1].shift", {"2 numbers", "found 1"}},
      {with(23, "shift = [1, 2]"), 23, "site[1].shift", {"with their units", "integer 1"}},
      {with(23, "scale = 2"), 23, "site[1].scale", {"a key of kind \"xrf\""}},
      {with(16, "clip_low = 0.1"), 16, "site[0].clip_low", {"a key of kind \"xrt\""}},
      {with(16, "sigma = \"poisson\""), 16, "site[0].sigma", {"\"counts\", \"estimate\""}},
  });
}

TEST(StudySites, AcceptsXrtAloneWithOtherMatter) {
  const TemporaryDirectory directory;
  const StudyFile s = read(directory, without(11, 16));
  ASSERT_EQ(s.sites.size(), 1u);
  EXPECT_EQ(s.sites[0].kind, "xrt");
}

}  // namespace
}  // namespace firm
