// The loops of Algorithm 1 as a rule for the step, driven by synthetic step norms.
#include "solve/methods/step_rule.h"

#include <gtest/gtest.h>

#include <vector>

#include "solve/memory_archive.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr double kFirst = 0.5;

// Runs rounds in which round k = 1, 2, ... has the step norm step(k). Collects the steps eta used
// and the number of repeated shares.
struct Loops {
  template <typename Step>
  Loops(const FirmOptions& options, const Step& step) : rule(options, kFirst) {
    while (eta.size() < 1000) {
      const int rounds = static_cast<int>(eta.size());
      if (rounds > 0) {
        StepRule::Outcome outcome = rule.judge(step(rounds), 10, rounds);
        if (outcome.repeat) {
          ++repeats;
          outcome = rule.judge(step(rounds), 10, rounds);
          EXPECT_FALSE(outcome.repeat) << "the second guess is made with knowledge";
        }
        if (outcome.done) return;
      }
      eta.push_back(rule.eta());
      rule.advance(rounds + 1);
    }
  }

  StepRule rule;
  std::vector<double> eta;
  int repeats = 0;
};

double always_ends(int /*round*/) { return 0; }

TEST(StepRule, ShrinksStepEveryRoundWithShortInnerLoops) {
  const Loops loops({.hold = 0, .ratio = 0.5, .eps = 0.1}, always_ends);
  EXPECT_EQ(loops.eta, (std::vector{0.5, 0.25, 0.125}));
  EXPECT_EQ(loops.repeats, 0);
}

TEST(StepRule, HoldsFirstStepForGivenRounds) {
  const Loops loops({.hold = 4, .ratio = 0.5, .eps = 0.1}, always_ends);
  EXPECT_EQ(loops.eta, (std::vector{0.5, 0.5, 0.5, 0.5, 0.25, 0.125}));
}

TEST(StepRule, EndsBeforeStepFallsBelowEps) {
  EXPECT_EQ(Loops({.hold = 0, .ratio = 0.5, .eps = 0.125}, always_ends).eta.size(), 3u);
  EXPECT_EQ(Loops({.hold = 0, .ratio = 0.5, .eps = 0.126}, always_ends).eta.size(), 2u);
  // eps = kFirst is allowed: the first inner loop is the last.
  EXPECT_EQ(Loops({.hold = 0, .ratio = 0.5, .eps = kFirst}, always_ends).eta.size(), 1u);
}

TEST(StepRule, PredictsRoundsWithShortInnerLoops) {
  for (const int hold : {0, 1, 7}) {
    for (const double ratio : {0.3, 0.9, 0.97}) {
      for (const std::string rule : {"paper", "relative"}) {
        const Loops loops({.hold = hold, .ratio = ratio, .eps = 0.021, .rule = rule}, always_ends);
        EXPECT_EQ(loops.rule.expected_rounds(), static_cast<int>(loops.eta.size()))
            << hold << " " << ratio << " " << rule;
      }
    }
  }
}

// The step norm that ends an inner loop is eta^2: 0.25 at first, then 0.0625.
TEST(StepRule, StaysInInnerLoopUntilStepNormIsSmall) {
  const std::vector<double> steps = {1, 0.26, 0.25, 0.07, 0.0625, 0};
  const Loops loops({.hold = 0, .ratio = 0.5, .eps = 0.1},
                    [&](int round) { return steps.at(static_cast<std::size_t>(round - 1)); });
  EXPECT_EQ(loops.eta, (std::vector{0.5, 0.5, 0.5, 0.25, 0.25, 0.125}));
}

// The guess that nothing changes from round to round is wrong whenever an inner loop starts or
// ends.
TEST(StepRule, RepeatsShareAfterWrongGuess) {
  const std::vector<double> steps = {1, 1, 0, 0, 0};
  const Loops loops({.hold = 0, .ratio = 0.5, .eps = 0.1},
                    [&](int round) { return steps.at(static_cast<std::size_t>(round - 1)); });
  EXPECT_EQ(loops.eta, (std::vector{0.5, 0.5, 0.5, 0.25, 0.125}));
  EXPECT_EQ(loops.repeats, 2);  // round 2 did not start a new loop, round 4 did
}

TEST(StepRule, ReportsWrongGuess) {
  StepRule rule({.hold = 0, .ratio = 0.5, .eps = 0.1}, kFirst);
  rule.advance(1);
  EXPECT_EQ(rule.eta(), 0.25);
  EXPECT_TRUE(rule.supposes_end());
  const StepRule::Outcome wrong = rule.judge(1, 10, 1);
  EXPECT_TRUE(wrong.repeat);
  EXPECT_FALSE(wrong.ended);
  EXPECT_EQ(rule.eta(), kFirst);
  EXPECT_EQ(rule.eta_before(), kFirst);
  EXPECT_FALSE(rule.supposes_end());
}

TEST(StepRule, ScalesToleranceWithImagesWhenRelative) {
  const FirmOptions options{.hold = 0, .ratio = 0.5, .eps = 0.3, .rule = "relative"};
  // At eta = eta_1 / 2 the tolerance is a quarter of the size, which is 10.
  const Loops ends(options, [](int) { return 2.49; });
  EXPECT_EQ(ends.eta, (std::vector{0.5, 0.25}));
  const Loops continues(options, [](int round) { return round < 9 ? 2.51 : 0.0; });
  EXPECT_EQ(continues.eta.size(), 9u);
  EXPECT_EQ(continues.eta.back(), 0.25);
}

TEST(StepRule, ResumesFromArchive) {
  StepRule rule({.hold = 0, .ratio = 0.5, .eps = 0.1}, kFirst);
  rule.advance(1);
  rule.judge(1, 10, 1);
  MemoryArchive archive;
  rule.archive(archive);
  archive.load();
  StepRule other({.hold = 0, .ratio = 0.5, .eps = 0.1}, kFirst);
  other.archive(archive);
  EXPECT_EQ(other.eta(), rule.eta());
  EXPECT_EQ(other.eta_before(), rule.eta_before());
  EXPECT_EQ(other.supposes_end(), rule.supposes_end());
}

TEST(StepRule, RejectsFirstStepBelowEps) {
  const auto make = [](double eps, const std::string& rule) {
    return error_of([&] { StepRule({.eps = eps, .rule = rule}, kFirst); });
  };
  const std::string paper = make(0.6, "paper");
  EXPECT_CONTAINS(paper, "firm.eps");
  EXPECT_CONTAINS(paper, "eta_1 = 0.5");
  EXPECT_CONTAINS(paper, "firm.rule = relative");
  EXPECT_CONTAINS(paper, "found 0.6");
  const std::string relative = make(1.5, "relative");
  EXPECT_CONTAINS(relative, "expected at most 1");
  EXPECT_CONTAINS(relative, "found 1.5");
}

}  // namespace
}  // namespace firm
