// Keys of self-absorption in study.toml.
#include "io/study/study_fluorescence.h"

#include "io/study_lines.h"

namespace firm {
namespace {

// A study with self-absorption; `site` replaces the keys of the XRF site, `study` adds to [study].
Lines absorbing(const std::string& site = "element = \"Fe\"\ndetector_side = \"+t\"",
                const std::string& study = "") {
  Lines lines = kGood;
  lines[4] = "other = false\nenergy = \"12 keV\"\nself_absorption = true" + study;
  lines[14] = site;
  return lines;
}
constexpr int kXrf = 13;  // line of its table: two lines were added before it

TEST(StudyFluorescence, ReadsAndWritesKeys) {
  const TemporaryDirectory directory;
  const StudyFile s =
      read(directory,
           absorbing("compound = \"CaCO3\"\nline = \"Ca Ka\"\nenergy = \"11 keV\"\ndetector_side = "
                     "\"-t\"\nbeam_direction = \"-\"\ndetector_distance = \"2 cm\"\n"
                     "detector_diameter = \"0.8 cm\"",
                     "\nattenuation = \"xrt\"\nmatrix = \"SiO2\""));
  EXPECT_TRUE(s.self_absorption);
  EXPECT_EQ(s.attenuation, "xrt");
  EXPECT_EQ(s.matrix, "SiO2");
  const FluorescenceKeys& f = s.sites[0].fluorescence;
  EXPECT_EQ(f.line, "Ca Ka");
  EXPECT_EQ(f.energy, 11);
  EXPECT_EQ(f.detector_side, "-t");
  EXPECT_EQ(f.beam_direction, "-");
  EXPECT_EQ(f.detector_distance, 2);
  EXPECT_EQ(f.detector_diameter, 0.8);
  write_study(directory / "again.toml", s);
  EXPECT_TRUE(read_study(directory / "again.toml") == s);
}

TEST(StudyFluorescence, FindsEnergies) {
  const TemporaryDirectory directory;
  const StudyFile named = read(directory, absorbing());
  const FluorescenceEnergies iron = fluorescence_energies(named, named.sites[0]);
  EXPECT_EQ(iron.incident, 12);
  EXPECT_NEAR(iron.line, 6.40, 0.01);
  EXPECT_EQ(iron.name, "Fe Ka");
  EXPECT_TRUE(iron.assumed);
  const StudyFile given = read(directory, absorbing("element = \"Fe\"\ndetector_side = \"+t\"\n"
                                                    "line_energy = \"7.06 keV\""));
  EXPECT_EQ(fluorescence_energies(given, given.sites[0]).line, 7.06);
}

TEST(StudyFluorescence, IsNotNeededWithoutSelfAbsorption) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(read(directory, kGood).self_absorption);
}

TEST(StudyFluorescence, RefusesMissingAndWrongKeys) {
  const std::string side = "\ndetector_side = \"+t\"";
  expect_all_refused({
      {absorbing("element = \"Fe\""), kXrf, "site[0].detector_side", {"+t", "-t"}},
      {absorbing("coefficient = 50" + side), kXrf, "site[0].line", {"line_energy", "12 keV"}},
      {absorbing("coefficient = 50\nline = \"Fe Ka\"" + side),
       kXrf,
       "site[0].compound",
       {"only a coefficient"}},
      {absorbing("element = \"Fe\"\nline = \"Fe Kz\"" + side),
       kXrf + 5,
       "site[0].line",
       {"Fe Ka", "Fe Kz"}},
      {absorbing("element = \"Fe\"\nline = \"Fe Ka\"\nline_energy = \"6 keV\"" + side),
       kXrf + 5,
       "site[0].line",
       {"both"}},
      {absorbing("element = \"Fe\"\nline_energy = \"12 keV\"" + side),
       kXrf,
       "site[0].line_energy",
       {"12 keV"}},
      // The absorption edge of selenium is at 12.66 keV: the beam excites no K line.
      {absorbing("element = \"Se\"\nline = \"Se Ka\"" + side),
       kXrf,
       "site[0].line",
       {"excites", "12.6"}},
      {absorbing("element = \"Fe\"\ndetector_side = \"left\""),
       kXrf + 5,
       "site[0].detector_side",
       {"+t"}},
      {absorbing("element = \"Fe\"\nbeam_direction = \"up\"" + side),
       kXrf + 5,
       "site[0].beam_direction",
       {"+"}},
      {absorbing("element = \"Fe\"\ndetector_distance = \"1 cm\"" + side),
       kXrf,
       "site[0].detector_diameter",
       {"only one"}},
      {absorbing("element = \"Fe\"" + side, "\nattenuation = \"xrt\""),
       kXrf + 1,
       "[study] matrix",
       {"SiO2"}},
      {absorbing("element = \"Fe\"" + side, "\nattenuation = \"guess\""),
       8,
       "[study] attenuation",
       {"elements", "xrt"}},
      {absorbing("element = \"Fe\"" + side, "\nmatrix = \"Glass\""),
       kXrf + 1,
       "site[0].matrix of [study]",
       {"Glass"}},
  });
  Lines hidden = absorbing();
  hidden[4] = "other = true\nenergy = \"12 keV\"\nself_absorption = true";
  expect_refused({hidden, kXrf, "[study] matrix", {"SiO2"}});
  Lines dark = absorbing("element = \"Fe\"\ncoefficient = 50" + side);
  dark[4] = "other = false\nself_absorption = true";
  expect_refused({dark, 12, "site[0].energy", {"neither"}});
  expect_refused({with(23, "minus_log = true\nline = \"Fe Ka\""),
                  24,
                  "site[1].line",
                  {"no such key for kind \"xrt\""}});
}

}  // namespace
}  // namespace firm
