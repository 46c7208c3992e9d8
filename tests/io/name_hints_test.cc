#include "io/inspect/name_hints.h"

#include <gtest/gtest.h>

namespace firm {
namespace {

TEST(ElementInName, FindsSymbols) {
  for (const char* name : {"Fe", "xrf_Fe_K", "Fe_Ka1", "sample3-Fe", "FeKa-maps", "fe", "xrf_fe",
                           "iron", "Iron, simulated", "sino_0012_Fe", "/entry/Fe/data", "XRF-Fe"}) {
    EXPECT_EQ(element_in_name(name), "Fe") << name;
  }
  EXPECT_EQ(element_in_name("K"), "K");
  EXPECT_EQ(element_in_name("S_K"), "S");
  EXPECT_EQ(element_in_name("leaf_P"), "P");
  EXPECT_EQ(element_in_name("As"), "As");
  EXPECT_EQ(element_in_name("PbL"), "Pb");
}

TEST(ElementInName, IgnoresWordsAndSeveralElements) {
  for (const char* name : {"xrf-1", "xrt", "array", "In situ study", "No sample", "sample_B", "b",
                           "C", "Fe_Zn_mixture", "leaf in air", "exchange/data", "", "tooth"}) {
    EXPECT_EQ(element_in_name(name), std::nullopt) << name;
  }
}

TEST(NameHints, TellTransmissionFromFluorescence) {
  EXPECT_TRUE(names_transmission("scan_XRT_2"));
  EXPECT_TRUE(names_transmission("transmission"));
  EXPECT_FALSE(names_transmission("xrf-1"));
  EXPECT_FALSE(names_transmission("extrt"));
  EXPECT_TRUE(names_fluorescence("xrf-1"));
  EXPECT_FALSE(names_fluorescence("xrt"));
  EXPECT_TRUE(is_transmission_counter("DS_IC"));
  EXPECT_FALSE(is_transmission_counter("US_IC"));
}

}  // namespace
}  // namespace firm
