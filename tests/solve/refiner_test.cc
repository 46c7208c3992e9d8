// Refiners change the problem; the solver continues from its images.
#include "solve/refiner.h"

#include <gtest/gtest.h>

#include "firm/error.h"
#include "solve/memory_archive.h"
#include "solve/solver.h"
#include "support/small_study.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

// Replaces wrong data of a site by the right data once it gets images.
class RightData : public Refiner {
 public:
  explicit RightData(SiteData right) : right_(std::move(right)) {}

  bool refine(Problem& problem, const Block& images, Collective& collective) override {
    ++looks_;
    EXPECT_EQ(images.columns(), problem.columns());
    double one = 1;
    collective.sum({}, std::span(&one, 1));
    if (applied_ > 0) return false;
    applied_ = 1;
    apply(problem);
    return true;
  }
  void archive(Archive& archive) override { archive.number("right_data/applied", applied_); }
  void apply(Problem& problem) override {
    if (applied_ > 0) problem.replace_data(right_);
  }
  int looks() const { return looks_; }

 private:
  SiteData right_;
  double applied_ = 0;
  int looks_ = 0;
};

Solution solve_refined(const SmallStudy& small, const std::vector<SiteData>& data,
                       const SolveOptions& options, std::vector<Refiner*> refiners) {
  Problem problem(small.study, data, {.threads = 1});
  LocalCollective collective;
  SolveInput input;
  input.problem = &problem;
  input.collective = &collective;
  input.options = options;
  input.refiners = std::move(refiners);
  return solve(input);
}

SolveOptions options_for(const std::string& method) {
  SolveOptions options;
  options.method = method;
  options.stop.kkt = 1e-6;
  options.stop.rounds = 50000;
  options.pgd.accelerated = true;
  return options;
}

class RefinerTest : public ::testing::Test {
 protected:
  RefinerTest()
      : small_(make_small_study({.own_geometry = true, .noise = 0.1})), wrong_(small_.data) {}

  // Halves the values of site `site`.
  void spoil(std::size_t site) {
    for (float& value : wrong_[site].values.values()) value *= 0.5f;
  }

  SmallStudy small_;
  std::vector<SiteData> wrong_;
};

TEST_F(RefinerTest, ConvergesToSolutionOfChangedProblem) {
  for (const std::string method : {"firm-ds", "pgd"}) {
    for (const std::size_t site : {std::size_t{0}, small_.data.size() - 1}) {  // XRF and XRT
      wrong_ = small_.data;
      spoil(site);
      const SolveOptions options = options_for(method);
      const Solution right = solve_refined(small_, small_.data, options, {});
      const Solution spoilt = solve_refined(small_, wrong_, options, {});
      RightData refiner(small_.data[site]);
      const Solution refined = solve_refined(small_, wrong_, options, {&refiner});
      EXPECT_EQ(refiner.looks(), 2) << method;
      EXPECT_TRUE(refined.summary.termination.converged);
      EXPECT_NEAR(refined.summary.objective, right.summary.objective,
                  1e-4 * right.summary.objective)
          << method << site;
      EXPECT_GT(std::abs(spoilt.summary.objective - right.summary.objective),
                1e-2 * right.summary.objective);
      for (std::size_t k = 0; k < right.images.size(); ++k) {
        EXPECT_NEAR(refined.images.data()[k], right.images.data()[k], 5e-3) << method << site;
      }
    }
  }
}

TEST_F(RefinerTest, IsNotCalledForRunStoppedEarly) {
  spoil(0);
  RightData refiner(small_.data[0]);
  SolveOptions options = options_for("firm-ds");
  options.stop.rounds = 1;
  const Solution s = solve_refined(small_, wrong_, options, {&refiner});
  EXPECT_EQ(s.summary.termination.reason, "rounds");
  EXPECT_EQ(refiner.looks(), 0);
}

// A checkpoint keeps the refined parameters: the resumed run solves the changed problem at once.
TEST_F(RefinerTest, KeepsParametersInCheckpoint) {
  spoil(0);
  MemoryArchive state;
  SolveOptions options = options_for("firm-ds");
  {
    Problem problem(small_.study, wrong_, {.threads = 1});
    LocalCollective collective;
    RightData refiner(small_.data[0]);
    SolveInput input;
    input.problem = &problem;
    input.collective = &collective;
    input.options = options;
    input.refiners = {&refiner};
    input.on_state = [&](int, bool, const std::function<void(Archive&)>& save) {
      state = MemoryArchive();
      save(state);
    };
    solve(input);
    EXPECT_EQ(refiner.looks(), 2);
  }
  state.load();
  Problem problem(small_.study, wrong_, {.threads = 1});
  LocalCollective collective;
  RightData refiner(small_.data[0]);
  SolveInput input;
  input.problem = &problem;
  input.collective = &collective;
  input.options = options;
  input.refiners = {&refiner};
  input.resume = &state;
  const Solution resumed = solve(input);
  const Solution right = solve_refined(small_, small_.data, options, {});
  EXPECT_EQ(refiner.looks(), 1);
  EXPECT_NEAR(resumed.summary.objective, right.summary.objective, 1e-4 * right.summary.objective);
}

TEST_F(RefinerTest, IsRejectedByOtherMethods) {
  const SmallStudy plain = make_small_study({});
  RightData refiner(plain.data[0]);
  for (const std::string method : {"firm", "firm+", "fedpgd", "plsqr"}) {
    EXPECT_CONTAINS(
        error_of([&] { solve_refined(plain, plain.data, options_for(method), {&refiner}); }),
        "method: expected one that supports refinement of the scan, found " + method);
  }
}

}  // namespace
}  // namespace firm
