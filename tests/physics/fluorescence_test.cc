// Fluorescence lines: energies of xraylib, and which line a beam excites.
#include "physics/fluorescence.h"

#include <gtest/gtest.h>

namespace firm {
namespace {

// Energies in keV as in the X-ray Data Booklet (table 1-2), edges as in its table 1-1.
TEST(FluorescenceLine, HasTabulatedEnergies) {
  const struct {
    const char* name;
    double energy;
    double edge;
  } lines[] = {{"Ca Ka1", 3.6917, 4.0385},  {"Fe Ka1", 6.4038, 7.112},  {"Zn Ka1", 8.6389, 9.6586},
               {"Fe Kb1", 7.0580, 7.112},   {"W La1", 8.3976, 10.2068}, {"Au La1", 9.7133, 11.9187},
               {"Au Lb1", 11.4423, 13.7336}};
  for (const auto& l : lines) {
    const auto found = fluorescence_line(l.name);
    ASSERT_TRUE(found) << l.name;
    EXPECT_NEAR(found->energy, l.energy, 0.01) << l.name;
    EXPECT_NEAR(found->edge, l.edge, 0.01) << l.name;
  }
  const auto mean = fluorescence_line("Fe_Ka");
  ASSERT_TRUE(mean);
  EXPECT_EQ(mean->name, "Fe Ka");
  EXPECT_GT(mean->energy, 6.390);  // between Ka2 and Ka1
  EXPECT_LT(mean->energy, 6.404);
}

TEST(FluorescenceLine, RefusesUnknownNames) {
  for (const char* name : {"", "Fe", "Fe Kx", "Xx Ka", "FeKa", "H Ka", "Fe La9", "COMPTON_Ka"}) {
    EXPECT_FALSE(fluorescence_line(name)) << name;
  }
}

TEST(FluorescenceLine, OfChannelIsTheFirstThatTheBeamExcites) {
  const auto name = [](const char* channel, double kev) {
    const auto line = line_of_channel(channel, kev);
    return line ? line->name : "none";
  };
  EXPECT_EQ(name("Fe", 12), "Fe Ka");
  EXPECT_EQ(name("Fe", 7.0), "Fe La");  // below the K edge at 7.112 keV
  EXPECT_EQ(name("W", 12), "W La");
  EXPECT_EQ(name("W_L", 80), "W La");
  EXPECT_EQ(name("W", 80), "W Ka");
  EXPECT_EQ(name("Pt_La1", 12), "Pt La1");
  EXPECT_EQ(name("Fe_K", 7.0), "none");
  EXPECT_EQ(name("COMPTON_AMPLITUDE", 12), "none");
}

}  // namespace
}  // namespace firm
