// Options from text, and their description.
#include "firm/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "firm/error.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

struct Sample {
  std::string good;  // not the default
  std::vector<std::string> bad;
};

// One entry for each option; a new option needs a new entry.
const std::map<std::string, Sample>& samples() {
  static const std::vector<std::string> kNoCount = {"-1", "1.5", "1e3", "many",
                                                    "",   " 3",  "3 ",  "99999999999999999999"};
  static const std::vector<std::string> kNoSize = {"-0.1", "nan", "inf", "much", "", "0.1x", "0,1"};
  static const std::vector<std::string> kNotPositive = {"0", "-1", "nan", "inf", ""};
  static const std::vector<std::string> kNoFlag = {"yes", "1", "True", ""};
  static const std::map<std::string, Sample> all = {
      {"method", {"fedpgd", {"FIRM", "firm ", "gradient", ""}}},
      {"stop.rounds", {"17", kNoCount}},
      {"stop.seconds", {"2.5", kNoSize}},
      {"stop.objective", {"0.125", kNoSize}},
      {"stop.discrepancy", {"0.01", kNoSize}},
      {"stop.kkt", {"0.001", kNoSize}},
      {"stop.change", {"0.002", kNoSize}},
      {"stop.step", {"0.003", kNoSize}},
      {"stop.noise", {"0.45", kNoSize}},
      {"firm.hold", {"12", kNoCount}},
      {"firm.ratio", {"0.5", {"0", "1", "1.1", "-0.5", ""}}},
      {"firm.eps", {"0.25", kNotPositive}},
      {"firm.step_scale", {"0.75", kNotPositive}},
      {"firm.rule", {"relative", {"absolute", ""}}},
      {"fedpgd.step_scale", {"0.6", kNotPositive}},
      {"fedpgd.accelerated", {"true", kNoFlag}},
      {"pgd.step_scale", {"0.7", kNotPositive}},
      {"pgd.accelerated", {"true", kNoFlag}},
      {"plsqr.tolerance", {"0.004", kNoSize}},
      {"ds.local_steps", {"9", {"-1", "1000000", "2.5", ""}}},
      {"prior.kind", {"tv", {"TV", "total", ""}}},
      {"prior.strength", {"0.7", {"0", "-1", "nan", "inf", "automatic", ""}}},
      {"prior.inner", {"5", {"0", "-1", "10001", "2.5", ""}}},
      {"prior.slices", {"true", kNoFlag}},
      {"absorption.rounds", {"3", {"-1", "101", "1.5", "few"}}},
      {"absorption.grid", {"2", {"-1", "3", "8", "fine"}}},
      {"absorption.start", {"plain", {"none", "XRT", ""}}},
      {"refine", {"shifts,axis", {"shift", "shifts,", "shifts axis", "none,axis", ""}}},
      {"chunks", {"4", {"0", "-1", "1000001", "2.5", ""}}},
      {"threads", {"3", {"-1", "4096", "two", ""}}},
      {"seed", {"18446744073709551615", {"-1", "1.5", "18446744073709551616", ""}}},
  };
  return all;
}

std::map<std::string, std::string> values(const SolveOptions& options) {
  std::map<std::string, std::string> all;
  for (const OptionText& text : describe_options(options)) all[text.key] = text.value;
  return all;
}

TEST(Options, AreAllDescribedAndTested) {
  std::map<std::string, int> seen;
  for (const OptionText& text : describe_options({})) {
    ++seen[text.key];
    EXPECT_EQ(samples().count(text.key), 1u) << text.key;
    EXPECT_FALSE(text.help.empty()) << text.key;
    EXPECT_FALSE(text.expects.empty()) << text.key;
  }
  for (const auto& [key, sample] : samples()) EXPECT_EQ(seen[key], 1) << key;
}

TEST(Options, AppearInDescriptionWhenSet) {
  for (const auto& [key, sample] : samples()) {
    SolveOptions options;
    auto expected = values(options);
    EXPECT_NE(expected[key], sample.good) << key << ": the sample is the default";
    set_option(options, "--set", key, sample.good);
    expected[key] = sample.good;
    EXPECT_EQ(values(options), expected) << key;
  }
}

TEST(Options, AcceptDescribedValues) {
  SolveOptions all_set;
  for (const auto& [key, sample] : samples()) set_option(all_set, "--set", key, sample.good);
  SolveOptions copy;
  for (const auto& [key, value] : values(all_set)) set_option(copy, "--set", key, value);
  EXPECT_EQ(values(copy), values(all_set));
  for (const auto& [key, value] : values({})) set_option(copy, "--set", key, value);
  EXPECT_EQ(values(copy), values({}));
}

TEST(Options, SetTheirMembers) {
  SolveOptions o;
  for (const auto& [key, sample] : samples()) set_option(o, "--set", key, sample.good);
  EXPECT_EQ(o.method, "fedpgd");
  EXPECT_EQ(o.stop.rounds, 17);
  EXPECT_EQ(o.stop.seconds, 2.5);
  EXPECT_EQ(o.stop.objective, 0.125);
  EXPECT_EQ(o.stop.discrepancy, 0.01);
  EXPECT_EQ(o.stop.kkt, 0.001);
  EXPECT_EQ(o.stop.change, 0.002);
  EXPECT_EQ(o.stop.step, 0.003);
  EXPECT_EQ(o.stop.noise, 0.45);
  EXPECT_EQ(o.firm.hold, 12);
  EXPECT_EQ(o.firm.ratio, 0.5);
  EXPECT_EQ(o.firm.eps, 0.25);
  EXPECT_EQ(o.firm.step_scale, 0.75);
  EXPECT_EQ(o.firm.rule, "relative");
  EXPECT_EQ(o.fedpgd.step_scale, 0.6);
  EXPECT_TRUE(o.fedpgd.accelerated);
  EXPECT_EQ(o.pgd.step_scale, 0.7);
  EXPECT_TRUE(o.pgd.accelerated);
  EXPECT_EQ(o.plsqr.tolerance, 0.004);
  EXPECT_EQ(o.ds.local_steps, 9);
  EXPECT_EQ(o.refine, "shifts,axis");
  EXPECT_EQ(o.threads, 3);
  EXPECT_EQ(o.seed, 18446744073709551615u);
}

TEST(Options, RejectBadValueNamingKeyExpectedAndFound) {
  std::map<std::string, std::string> expects;
  for (const OptionText& text : describe_options({})) expects[text.key] = text.expects;
  for (const auto& [key, sample] : samples()) {
    for (const std::string& bad : sample.bad) {
      SolveOptions options;
      try {
        set_option(options, "study.toml:31", key, bad);
        ADD_FAILURE() << key << " takes '" << bad << "'";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::kUsage);
        std::string expected = "study.toml:31: " + key;
        expected.append(": expected ").append(expects[key]);
        expected.append(", found '").append(bad).append("'");
        EXPECT_TRUE(std::string(error.what()).starts_with(expected)) << error.what();
      }
      EXPECT_EQ(values(options), values({})) << key << " has changed";
    }
  }
}

TEST(Options, StrengthOfPriorIsAutomaticByDefault) {
  EXPECT_EQ(values({})["prior.strength"], "auto");
  SolveOptions options;
  set_option(options, "--set", "prior.strength", "0.5");
  EXPECT_EQ(options.prior.strength, 0.5);
  set_option(options, "--set", "prior.strength", "auto");
  EXPECT_EQ(options.prior.strength, 0);
}

TEST(Options, DescribeExpectedValues) {
  std::map<std::string, std::string> expects;
  for (const OptionText& text : describe_options({})) expects[text.key] = text.expects;
  EXPECT_EQ(expects["stop.rounds"], "a whole number from 0 on");
  EXPECT_EQ(expects["stop.kkt"], "a number from 0 on");
  EXPECT_EQ(expects["firm.ratio"], "a number above 0 and below 1");
  EXPECT_EQ(expects["prior.strength"], "auto or a number above 0");
  EXPECT_EQ(expects["firm.rule"], "one of paper, relative");
  EXPECT_EQ(expects["pgd.accelerated"], "true or false");
  for (const std::string& method : method_names()) EXPECT_CONTAINS(expects["method"], method);
}

TEST(Options, RejectUnknownKeyListingKnownOnes) {
  SolveOptions options;
  for (const std::string key : {"stop.round", "Threads", "", "firm"}) {
    const std::string error = error_of([&] { set_option(options, "--set", key, "1"); });
    EXPECT_CONTAINS(error, "--set: option: expected one of method, stop.rounds");
    EXPECT_CONTAINS(error, "found '" + key + "'");
    for (const auto& [known, sample] : samples()) EXPECT_CONTAINS(error, known);
  }
}

TEST(Options, SuggestWhatWasMeant) {
  struct Case {
    const char* key;
    const char* value;
    const char* suggestion;
  };
  for (const Case& c :
       {Case{"stop.round", "1", "found 'stop.round' (did you mean stop.rounds?)"},
        Case{"Threads", "1", "(did you mean threads?)"},
        Case{"kkt", "1", "(did you mean stop.kkt?)"},
        Case{"accelerated", "true", "(did you mean fedpgd.accelerated or pgd.accelerated?)"},
        Case{"method", "firm_ds", "found 'firm_ds' (did you mean firm-ds?)"},
        Case{"pgd.accelerated", "True", "found 'True' (did you mean true?)"}}) {
    SolveOptions options;
    EXPECT_CONTAINS(error_of([&] { set_option(options, "--set", c.key, c.value); }), c.suggestion);
  }
  SolveOptions options;
  EXPECT_EQ(error_of([&] { set_option(options, "--set", "method", "admm"); }).find("did you"),
            std::string::npos);
}

}  // namespace
}  // namespace firm
