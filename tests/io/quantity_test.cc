#include "io/study/quantity.h"

#include <gtest/gtest.h>

namespace firm {
namespace {

TEST(Length, ParsesNumberAndUnit) {
  EXPECT_EQ(parse_length("1 um"), 1e-4);
  EXPECT_EQ(parse_length("0.65um"), 0.65 * kMicrometre);
  EXPECT_EQ(parse_length("0.65   \u00b5m"), 0.65 * kMicrometre);
  EXPECT_EQ(parse_length("0.65 \u03bcm"), 0.65 * kMicrometre);
  EXPECT_EQ(parse_length("1e-4 cm"), 1e-4);
  EXPECT_EQ(parse_length("1e-4cm"), 1e-4);
  EXPECT_EQ(parse_length("20 nm"), 20e-7);
  EXPECT_EQ(parse_length("2 mm"), 0.2);
  EXPECT_EQ(parse_length("3m"), 300);
  EXPECT_EQ(parse_length("-1 um"), -1e-4);
  EXPECT_EQ(parse_length("0 um"), 0);
}

TEST(Length, RefusesEverythingElse) {
  for (const char* text :
       {"",          " ",     "1",      "1 ",     "um",       " 1 um",   "1 um ",  "1 um 2",
        "1 furlong", "1 UM",  "one um", "1,5 um", "+1 um",    "0x10 um", "1e um",  "1 e-4 cm",
        "1\tum",     "1\num", "inf um", "nan um", "1e999 um", "1e308 m", "1 um\n", "1 2 um"}) {
    EXPECT_EQ(parse_length(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_length(std::string("1 um\0", 5)), std::nullopt);
}

TEST(Length, IsPrintedWithTwelveDigits) {
  EXPECT_EQ(length_text(0.65 * kMicrometre), "0.65 um");
  EXPECT_EQ(length_text(0.65e-4), "0.65 um");
}

TEST(Length, IsParsedBackFromTheExactText) {
  for (const double cm :
       {1e-4, 0.65 * kMicrometre, 0.65e-4, 1.0 / 3, 1e-4 / 3, 1e-300, 1e300, 0.1, 1.25e-4, 7e-5}) {
    EXPECT_EQ(parse_length(exact_length_text(cm)), cm) << exact_length_text(cm);
  }
  EXPECT_EQ(exact_length_text(0.65 * kMicrometre), "0.65 um");
  EXPECT_EQ(exact_length_text(2e-4), "2 um");
}

TEST(Quantity, ParsesUnitsOfItsDimension) {
  EXPECT_EQ(parse_quantity(Dimension::kEnergy, "12.1 keV"), 12.1);
  EXPECT_EQ(parse_quantity(Dimension::kEnergy, "12100 eV"), 12100 * 1e-3);
  EXPECT_EQ(parse_quantity(Dimension::kMassAttenuation, "104.7 cm^2/g"), 104.7);
  EXPECT_EQ(parse_quantity(Dimension::kMassAttenuation, "2 m^2/kg"), 20);
  EXPECT_EQ(parse_quantity(Dimension::kAngle, "-0.5 deg"), -0.5);
  EXPECT_NEAR(*parse_quantity(Dimension::kAngle, "1 rad"), 57.29577951, 1e-8);
  for (const char* unit : {"g/cm^2", "g/cm2", "g/cm\u00b2", "g cm^-2", "g cm-2", "g / cm^2"}) {
    EXPECT_EQ(unit_size(Dimension::kAreaDensity, unit), 1) << unit;
  }
  const auto area_density = [](const char* unit) {
    return unit_size(Dimension::kAreaDensity, unit).value_or(0);
  };
  EXPECT_DOUBLE_EQ(area_density("mg/cm^2"), 1e-3);
  EXPECT_DOUBLE_EQ(area_density("ug/cm2"), 1e-6);
  EXPECT_DOUBLE_EQ(area_density("\u00b5g/cm\u00b2"), 1e-6);
  EXPECT_DOUBLE_EQ(area_density("\u03bcg cm^-2"), 1e-6);
  EXPECT_DOUBLE_EQ(area_density("ng/mm^2"), 1e-7);
  EXPECT_DOUBLE_EQ(area_density("kg/m^2"), 0.1);
  for (const char* unit : {"g", "g/cm", "g/cm^3", "cm^2/g", "counts", "", "tg/cm^2"}) {
    EXPECT_EQ(unit_size(Dimension::kAreaDensity, unit), std::nullopt) << unit;
  }
  EXPECT_EQ(parse_quantity(Dimension::kEnergy, "12 um"), std::nullopt);
  EXPECT_EQ(parse_quantity(Dimension::kLength, "12 keV"), std::nullopt);
  EXPECT_EQ(parse_quantity(Dimension::kAngle, "12"), std::nullopt);
}

TEST(Quantity, IsSuggestedWithClosestUnit) {
  EXPECT_EQ(closest_quantity(Dimension::kEnergy, "12.1kev"), "12.1 keV");
  EXPECT_EQ(closest_quantity(Dimension::kLength, "1e-4 CM"), "1e-4 cm");
  EXPECT_EQ(closest_quantity(Dimension::kAngle, "5 dgrees"), "5 degrees");
  for (const char* text : {"", "um", "1", "1 parsec", "1 keV"}) {
    EXPECT_EQ(closest_quantity(Dimension::kLength, text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace firm
