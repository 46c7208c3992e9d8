// Priors: the proximal step in the local solver, the value in the objective and the certificate.
#include "model/prior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "firm/error.h"
#include "solve/memory_archive.h"
#include "support/small_study.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

// No penalty: the step is the projection onto w >= 0.
class NoPenalty : public Prior {
 public:
  void add_values(const Block&, std::span<double>) override {}
  void proximal_step(std::span<const double> steps, Block& w) override {
    for (std::size_t p = 0; p < w.rows(); ++p) {
      for (std::size_t c = 0; c < w.columns(); ++c) {
        if (steps[c] > 0) w(p, c) = std::max(w(p, c), 0.0f);
      }
    }
  }
  void archive(Archive&) override {}
};

// R(w) = strength ||w||^2, which is the same as more rows in A: strength^1/2 I.
class Quadratic : public Prior {
 public:
  explicit Quadratic(double strength) : strength_(strength) {}
  void add_values(const Block& w, std::span<double> values) override {
    for (std::size_t p = 0; p < w.rows(); ++p) {
      for (std::size_t c = 0; c < w.columns(); ++c) {
        values[c] += strength_ * static_cast<double>(w(p, c)) * static_cast<double>(w(p, c));
      }
    }
  }
  void proximal_step(std::span<const double> steps, Block& w) override {
    for (std::size_t p = 0; p < w.rows(); ++p) {
      for (std::size_t c = 0; c < w.columns(); ++c) {
        if (steps[c] == 0) continue;
        const double v = static_cast<double>(w(p, c)) / (1 + 2 * steps[c] * strength_);
        w(p, c) = static_cast<float>(std::max(v, 0.0));
      }
    }
  }
  void archive(Archive& archive) override { archive.number("prior/strength", strength_); }

 private:
  double strength_;
};

SolveOptions options_for(const std::string& method) {
  SolveOptions options;
  options.method = method;
  options.stop.kkt = 1e-6;
  options.stop.rounds = 20000;
  options.pgd.accelerated = true;
  return options;
}

Solution solve_with(const SmallStudy& small, const SolveOptions& options,
                    const PriorFactory& prior) {
  Problem problem(small.study, small.data, {.threads = 1});
  LocalCollective collective;
  SolveInput input;
  input.problem = &problem;
  input.collective = &collective;
  input.options = options;
  input.prior = prior;
  return solve(input);
}

PriorFactory quadratic(double strength) {
  return [=](const std::vector<Variable>&, std::size_t) {
    return std::make_unique<Quadratic>(strength);
  };
}

TEST(PriorTest, ZeroPenaltyKeepsBytes) {
  const SmallStudy small = make_small_study({.slices = 2, .own_geometry = true});
  for (const std::string method : {"firm-ds", "pgd"}) {
    const SolveOptions options = options_for(method);
    const Solution plain = solve_with(small, options, {});
    const Solution with = solve_with(
        small, options, [](const auto&, std::size_t) { return std::make_unique<NoPenalty>(); });
    ASSERT_EQ(plain.images.size(), with.images.size());
    EXPECT_EQ(0, std::memcmp(plain.images.data(), with.images.data(),
                             plain.images.size() * sizeof(float)))
        << method;
    EXPECT_EQ(plain.summary.rounds, with.summary.rounds) << method;
    EXPECT_EQ(plain.summary.objective, with.summary.objective) << method;
  }
}

// || A w - b ||^2 + strength ||w||^2 solved by projected gradient steps in double precision.
std::vector<double> ridge_optimum(const Site& site, const Block& b, double weight,
                                  double strength) {
  const auto a = make_projector(site.geometry, {"reference", 1, 1});
  const std::size_t pixels = site.geometry.pixels();
  std::vector<double> w(pixels, 0.0);
  Block x(pixels, 1);
  Block y(site.geometry.rays(), 1);
  Block g(pixels, 1);
  for (int step = 0; step < 20000; ++step) {
    for (std::size_t p = 0; p < pixels; ++p) x(p, 0) = static_cast<float>(w[p]);
    a->forward(x, y);
    for (std::size_t k = 0; k < y.size(); ++k) y.values()[k] -= b.values()[k];
    a->adjoint(y, g);
    for (std::size_t p = 0; p < pixels; ++p) {
      const double gradient = 2 * weight * static_cast<double>(g(p, 0)) + 2 * strength * w[p];
      w[p] = std::max(0.0, w[p] - gradient * 2e-3 / weight);
    }
  }
  return w;
}

TEST(PriorTest, FindsOptimumOfPenalisedProblem) {
  const SmallStudy small = make_small_study({.sites = 2, .noise = 0.2});
  const double strength = 3;
  const Solution s = solve_with(small, options_for("pgd"), quadratic(strength));
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<double> expected =
        ridge_optimum(small.study.sites[i], small.data[i].values, small.study.weight(i), strength);
    for (std::size_t p = 0; p < expected.size(); ++p) {
      EXPECT_NEAR(s.images(p, i), expected[p], 2e-4) << i << " " << p;
    }
  }
}

TEST(PriorTest, CountsInObjectiveAndCertificate) {
  const SmallStudy small = make_small_study({.noise = 0.2});
  for (const std::string method : {"firm-ds", "pgd"}) {
    const Solution plain = solve_with(small, options_for(method), {});
    const Solution with = solve_with(small, options_for(method), quadratic(2));
    EXPECT_GT(with.summary.objective, 1.01 * plain.summary.objective) << method;
    EXPECT_EQ(with.summary.objective, with.summary.certificate.objective) << method;
    EXPECT_LT(with.summary.certificate.relative, 1e-4) << method;
    // The images of the problem without the prior are not optimal for the one with it.
    double more = 0;
    for (std::size_t v = 0; v < plain.names.size(); ++v) {
      if (method == "firm-ds" && v + 1 == plain.names.size()) continue;  // w_N follows the others
      for (std::size_t p = 0; p < plain.images.rows(); ++p) {
        more += 2 * std::pow(static_cast<double>(plain.images(p, v)), 2);
      }
    }
    EXPECT_LT(with.summary.objective, plain.summary.objective + more) << method;
  }
}

TEST(PriorTest, ResumesToSameBytes) {
  const SmallStudy small = make_small_study({.noise = 0.2});
  SolveOptions options = options_for("firm-ds");
  options.ds.local_steps = 3;
  options.stop.kkt = 0;
  options.stop.rounds = 12;
  const Solution whole = solve_with(small, options, quadratic(2));
  MemoryArchive state;
  for (const bool resuming : {false, true}) {
    Problem problem(small.study, small.data, {.threads = 1});
    LocalCollective collective;
    SolveInput input;
    input.problem = &problem;
    input.collective = &collective;
    input.options = options;
    input.options.stop.rounds = resuming ? 12 : 5;
    input.prior = quadratic(resuming ? 99 : 2);  // the strength is part of the state
    if (resuming) state.load();
    if (resuming) input.resume = &state;
    input.on_state = [&](int, bool ending, const std::function<void(Archive&)>& save) {
      if (ending && !resuming) save(state);
    };
    const Solution s = solve(input);
    if (!resuming) continue;
    EXPECT_EQ(
        0, std::memcmp(s.images.data(), whole.images.data(), whole.images.size() * sizeof(float)));
  }
}

TEST(PriorTest, IsRejectedByOtherMethods) {
  const SmallStudy small = make_small_study({});
  for (const std::string method : {"firm", "firm+", "fedpgd", "plsqr"}) {
    EXPECT_CONTAINS(error_of([&] { solve_with(small, options_for(method), quadratic(1)); }),
                    "method: expected one that supports a prior (firm-ds, pgd), found " + method);
  }
}

}  // namespace
}  // namespace firm
