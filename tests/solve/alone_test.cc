// Fits of each site by itself, which firm-ds makes before its first round.
#include "solve/methods/alone.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "core/interruption.h"
#include "solve/memory_archive.h"
#include "solve/registry.h"
#include "solve/solver.h"
#include "support/small_study.h"

namespace firm {
namespace {

class Alone : public ::testing::Test {
 protected:
  Alone() {
    for (const SiteData& data : small_.data) small_.study.sites[data.site].sigma = 0.01;
    problem_ = std::make_unique<Problem>(small_.study, small_.data, ProblemOptions{.threads = 1});
  }

  // Ends at the noise, by default.
  SolveInput input() {
    SolveInput input;
    input.problem = problem_.get();
    input.collective = &alone_;
    return input;
  }

  SmallStudy small_ = make_small_study({.seed = 3, .sites = 3});
  LocalCollective alone_;
  std::unique_ptr<Problem> problem_;
};

TEST_F(Alone, EndsAtItsLimits) {
  const AloneFit whole = fit_alone(*problem_, {0.5}, nullptr);
  EXPECT_FALSE(whole.interrupted);
  ASSERT_EQ(whole.squares.size(), problem_->columns());
  const AloneFit start = fit_alone(*problem_, {0.5, 0}, nullptr);
  EXPECT_FALSE(start.interrupted);
  EXPECT_LT(whole.squares.front(), start.squares.front());
  int asked = 0;
  Block images;
  const AloneFit ended =
      fit_alone(*problem_, {.strength = 0.5, .interrupted = [&] { return ++asked > 2; }}, &images);
  EXPECT_TRUE(ended.interrupted);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(ended.squares, fit_alone(*problem_, {0.5, 2}, nullptr).squares);
  EXPECT_EQ(images.columns(), problem_->columns());
}

// Set-up, which an InterruptionScope ends, has all of it.
TEST_F(Alone, InterruptionEndsTheFitBeforeTheFirstRound) {
  SolveOptions options;
  options.stop.noise = 0.5;
  const std::unique_ptr<Method> method = find_method("firm-ds").make({*problem_, options, alone_});
  {
    const InterruptionScope scope([] { return true; });
    EXPECT_THROW(method->prepare(), Interrupted);
  }
  double steps = 0;
  SolveInput solve = input();
  solve.on_state = [&](int round, bool, const std::function<void(Archive&)>& state) {
    if (round > 0) return;
    MemoryArchive archive;
    state(archive);
    steps = archive.doubles.at("iterations").front();
  };
  Solver solver(solve);
  solver.run();
  EXPECT_GT(steps, 0) << "firm-ds has not started when its rounds begin";
}

TEST_F(Alone, ResumesBeforeTheFirstRoundToSameBytes) {
  MemoryArchive archive;
  SolveInput whole = input();
  whole.on_state = [&](int round, bool, const std::function<void(Archive&)>& state) {
    if (round == 0) state(archive);
  };
  const Solution expected = solve(whole);
  archive.load();
  SolveInput resumed = input();
  resumed.resume = &archive;
  const Solution found = solve(resumed);
  EXPECT_EQ(found.summary.rounds, expected.summary.rounds);
  ASSERT_EQ(found.images.size(), expected.images.size());
  EXPECT_EQ(0, std::memcmp(found.images.data(), expected.images.data(),
                           expected.images.size() * sizeof(float)));
}

}  // namespace
}  // namespace firm
