// The tables [[site]] of a study: data files, preparation, physics, geometry.
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
  EXPECT_EQ(site.shifts, "stage.txt");
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
