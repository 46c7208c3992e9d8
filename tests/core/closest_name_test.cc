#include "core/closest_name.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace firm {
namespace {

const std::vector<std::string> kVerbs = {"demo", "simulate", "recon", "check", "coordinator"};

TEST(ClosestName, FindsMisspeltName) {
  for (const char* text : {"reconn", "recn", "rceon", "Recon", "RECON", "recom"}) {
    EXPECT_EQ(closest_name(text, kVerbs), "recon") << text;
  }
  EXPECT_EQ(closest_name("cordinater", kVerbs), "coordinator");
}

TEST(ClosestName, FindsNoneIfNoNameIsSimilar) {
  for (const char* text : {"", "x", "reconstruct", "zzzzz", "demonstration"}) {
    EXPECT_FALSE(closest_name(text, kVerbs)) << text;
  }
  EXPECT_FALSE(closest_name("recon", {}));
}

// Two letters say too little to guess another one; their case is a common mistake.
TEST(ClosestName, AllowsOnlyOtherCaseInShortNames) {
  EXPECT_EQ(closest_name("fe", {"F", "Ca", "Fe", "Re"}), "Fe");
  EXPECT_FALSE(closest_name("xe", {"F", "Ca", "Fe", "Re"}));
  EXPECT_EQ(closest_name("UM", {"nm", "um", "mm", "m"}), "um");
}

TEST(ClosestName, CountsSwappedLettersOnce) {
  EXPECT_EQ(closest_name("abdc", {"axyc", "abcd"}), "abcd");
  EXPECT_EQ(closest_name("ba", {"ab"}), std::nullopt) << "a third of two letters is none";
  EXPECT_EQ(closest_name("badcfe", {"abcdfe"}), "abcdfe");
}

// The distance to each name would take as much time and memory as the product of the lengths.
TEST(ClosestName, SkipsNamesOfOtherLength) {
  const std::vector<std::string> known(1000, std::string(1000, 'a'));
  EXPECT_FALSE(closest_name(std::string(30'000'000, 'a'), known));
  EXPECT_FALSE(closest_name("a", {std::string(30'000'000, 'a')}));
}

TEST(ClosestName, PrefersFewerChanges) {
  EXPECT_EQ(closest_name("kev", {"eV", "MeV", "keV"}), "keV");
  EXPECT_EQ(closest_name("firm-dx", {"firm", "firm+", "firm-ds"}), "firm-ds");
  EXPECT_EQ(closest_name("sole", {"sale", "solve"}), "sale") << "the first of equals";
}

TEST(DidYouMean, MakesEndOfError) {
  EXPECT_EQ(did_you_mean("chekc", kVerbs), " (did you mean check?)");
  EXPECT_EQ(did_you_mean("view", kVerbs), "");
}

}  // namespace
}  // namespace firm
