// solve(): the rules that end a run, momentum, and FIRM against FedPGD.
#include "solve/solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "solve/dense_optimum.h"
#include "support/small_study.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

// A run and its history.
struct Recorded {
  Recorded(const SmallStudy& small, const SolveOptions& options, Observer observer = {}) {
    observer.on_round = [&](const RoundRecord& r, int) { history.push_back(r); };
    solution = solve_small(small, options, observer);
  }
  const Termination& end() const { return solution.summary.termination; }
  const RoundRecord& last() const { return history.back(); }
  const RoundRecord& before_last() const { return history.at(history.size() - 2); }

  std::vector<RoundRecord> history;
  Solution solution;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

TEST(StopRules, StopAfterRounds) {
  for (const std::string& method : method_names()) {
    SolveOptions options = with_method(method);
    options.stop.rounds = 3;
    options.stop.kkt = 1e-30;
    const Recorded run(make_small_study(kPlain), options);
    EXPECT_EQ(run.end().reason, "rounds") << method;
    EXPECT_EQ(run.end().message, "3 rounds >= 3") << method;
    EXPECT_FALSE(run.end().converged);
    EXPECT_EQ(run.solution.summary.rounds, 3);
    ASSERT_EQ(run.history.size(), 4u) << "rounds 0 to 3";
    for (int k = 0; k <= 3; ++k) EXPECT_EQ(run.history[static_cast<std::size_t>(k)].round, k);
  }
}

TEST(StopRules, StopAfterSeconds) {
  SolveOptions options = with_method("fedpgd");
  options.stop.seconds = 0.1;
  options.stop.kkt = 1e-30;
  const Recorded run(make_small_study(kPlain), options);
  EXPECT_EQ(run.end().reason, "seconds");
  EXPECT_EQ(run.end().message, "0.1 s have passed");
  EXPECT_FALSE(run.end().converged);
  EXPECT_GE(run.solution.summary.seconds, 0.1);
}

// The caller says that it has held the run for a million seconds before every round.
TEST(StopRules, DoNotCountPauses) {
  SolveOptions options = with_method("fedpgd");
  options.stop.seconds = 1e-9;
  options.stop.rounds = 20;
  options.stop.kkt = 1e-30;
  double paused = 0;
  Observer observer;
  observer.paused_seconds = [&] { return paused += 1e6; };
  const Recorded run(make_small_study(kPlain), options, observer);
  EXPECT_EQ(run.end().reason, "rounds");
  EXPECT_LT(run.last().seconds, 0);
}

TEST(StopRules, StopAtObjective) {
  const SmallStudy small = make_small_study(kPlain);
  const DenseStudy dense(small.study, small.data);
  for (const std::string& method : method_names()) {
    SolveOptions options = with_method(method);
    options.stop.objective = 0.02 * dense.objective_at_zero();
    const Recorded run(small, options);
    EXPECT_EQ(run.end().reason, "objective") << method;
    EXPECT_TRUE(run.end().converged);
    EXPECT_EQ(run.end().message, "objective " + number(run.last().objective) +
                                     " <= " + number(options.stop.objective));
    EXPECT_LE(run.last().objective, options.stop.objective);
    EXPECT_GT(run.before_last().objective, options.stop.objective) << method;
    if (method != "plsqr") {  // plsqr reports the objective before clipping
      const double f = dense.objective(to_matrix(run.solution.images));
      EXPECT_NEAR(run.last().objective / f, 1, 1e-5) << method;
    }
  }
}

double largest_discrepancy(const SmallStudy& small, const Matrix& w) {
  const DenseStudy dense(small.study, small.data);
  double largest = 0;
  for (std::size_t i = 0; i < dense.sites(); ++i) {
    const Matrix r = dense.a[i] * dense.image(w, dense.variable(i)) - dense.b[i];
    for (Eigen::Index z = 0; z < r.cols(); ++z) {
      const double level = dense.b[i].col(z).maxCoeff() * std::sqrt(static_cast<double>(r.rows()));
      largest = std::max(largest, r.col(z).norm() / level);
    }
  }
  return largest;
}

TEST(StopRules, StopWhenAllSlicesFitToNoise) {
  SmallStudyOptions o = kPlain;
  o.slices = 3;
  const SmallStudy small = make_small_study(o);
  for (const std::string& method : method_names()) {
    SolveOptions options = with_method(method);
    options.stop.discrepancy = 0.1;
    const Recorded run(small, options);
    EXPECT_EQ(run.end().reason, method == "plsqr" ? "tolerance" : "discrepancy") << method;
    EXPECT_CONTAINS(run.end().message, method == "plsqr" ? "discrepancy rule" : "s = 0.1");
    if (method == "plsqr") continue;
    const double found = largest_discrepancy(small, to_matrix(run.solution.images));
    EXPECT_LE(found, 0.1 * (1 + 1e-5)) << method;
    double reported = 0;
    for (const SiteSummary& site : run.solution.summary.sites) {
      reported = std::max(reported, site.discrepancy);
    }
    EXPECT_NEAR(reported / found, 1, 1e-5);
    options.stop.discrepancy = 0;
    options.stop.rounds = run.solution.summary.rounds - 1;
    options.stop.kkt = 1e-30;
    const Recorded shorter(small, options);
    EXPECT_GT(largest_discrepancy(small, to_matrix(shorter.solution.images)), 0.1) << method;
  }
}

TEST(StopRules, StopAtRelativeKktResidual) {
  for (const std::string& method : method_names()) {
    SolveOptions options = with_method(method);
    options.stop.kkt = method == "firm" ? 1e-2 : 3e-4;
    options.firm.hold = method == "firm" ? 100 : 100000;
    options.plsqr.tolerance = 0;
    const Recorded run(make_small_study(kPlain), options);
    EXPECT_EQ(run.end().reason, "kkt") << method << run.end().message;
    EXPECT_CONTAINS(run.end().message, "relative KKT residual");
    EXPECT_CONTAINS(run.end().message, " <= " + number(options.stop.kkt));
    EXPECT_LE(run.last().kkt, options.stop.kkt);
    if (method == "firm") continue;  // firm also waits for the coupling
    EXPECT_GT(run.before_last().kkt, options.stop.kkt) << method;
  }
}

// While r = 1 the penalty leaves a violation of the coupling, which the rule does not accept.
TEST(StopRules, CountCouplingViolationInKkt) {
  SolveOptions options = with_method("firm");
  options.stop.kkt = 1e-2;
  options.stop.rounds = 400;
  options.firm.hold = 100000;
  const Recorded held(make_small_study(kPlain), options);
  EXPECT_EQ(held.end().reason, "rounds");
  EXPECT_LT(held.last().kkt, 1e-2);
  options.firm.hold = 100;
  const Recorded shrunk(make_small_study(kPlain), options);
  EXPECT_EQ(shrunk.end().reason, "kkt");
  EXPECT_LT(*shrunk.last().violation, 0.6 * *held.last().violation);
}

TEST(StopRules, StopWhenObjectiveStalls) {
  for (const std::string& method : method_names()) {
    SolveOptions options = with_method(method);
    options.stop.change = 1e-4;
    options.firm.hold = 100000;
    options.plsqr.tolerance = 0;
    const Recorded run(make_small_study(kPlain), options);
    EXPECT_EQ(run.end().reason, "change") << method;
    const double f = run.last().objective;
    const double before = run.before_last().objective;
    EXPECT_LE(std::abs(before - f), 1e-4 * before);
    char text[80];
    std::snprintf(text, sizeof text, "objective changed from %.6g to %.6g", before, f);
    EXPECT_CONTAINS(run.end().message, text);
  }
}

TEST(StopRules, StopAtStepNorm) {
  for (const std::string& method : method_names()) {
    SolveOptions options = with_method(method);
    options.stop.step = 0.01;
    options.firm.hold = 100000;
    options.plsqr.tolerance = 0;
    const Recorded run(make_small_study(kPlain), options);
    EXPECT_EQ(run.end().reason, "step") << method;
    EXPECT_EQ(run.end().message, "step norm " + number(run.last().step_norm) + " <= 0.01");
    EXPECT_LE(run.last().step_norm, 0.01);
    EXPECT_GT(run.before_last().step_norm, 0.01) << method;
  }
}

TEST(StopRules, StopWhenInterrupted) {
  for (const std::string& method : method_names()) {
    int asked = 0;
    Observer observer;
    observer.interrupted = [&] { return ++asked > 3; };
    const Recorded run(make_small_study(kPlain), with_method(method), observer);
    EXPECT_EQ(run.end().reason, "interrupted") << method;
    EXPECT_EQ(run.end().message, "interrupted by the user");
    EXPECT_FALSE(run.end().converged);
    EXPECT_EQ(run.solution.summary.rounds, 4);  // the vote of round 3 ends the run after the next
  }
}

TEST(StopRules, DefaultToThoseOfMethod) {
  const SmallStudy small = make_small_study(kPlain);
  for (const std::string method : {"firm-ds", "fedpgd", "pgd"}) {
    const Recorded run(small, with_method(method));
    EXPECT_EQ(run.solution.summary.stop.kkt, 1e-4) << method;
    EXPECT_EQ(run.end().reason, "kkt") << method;
  }
  SolveOptions options = with_method("firm");
  options.firm.hold = 50;
  const Recorded run(small, options);
  EXPECT_EQ(run.end().reason, "eps");
  EXPECT_CONTAINS(run.end().message, "< eps after an inner loop that ended with step norm");
  EXPECT_EQ(Recorded(small, with_method("plsqr")).end().reason, "tolerance");
}

// --- sites alone

// The residual of each site stays constant once it is at the noise level.
TEST(Pgd, KeepsImageThatFitsToNoise) {
  SmallStudyOptions o = kPlain;
  o.angles = 9;
  const SmallStudy small = make_small_study(o);
  for (const std::string method : {"pgd", "plsqr"}) {
    SolveOptions options = with_method(method);
    options.stop.discrepancy = 0.06;
    const Recorded run(small, options);
    std::vector<std::size_t> kept(3, 0);  // rounds
    for (std::size_t k = 1; k < run.history.size(); ++k) {
      for (std::size_t i = 0; i < 3; ++i) {
        const Matrix b = to_matrix(small.data[i].values);
        const double level = 0.06 * b.maxCoeff() * std::sqrt(static_cast<double>(b.size()));
        if (run.history[k - 1].residuals[i] > level) continue;
        ++kept[i];
        EXPECT_EQ(run.history[k].residuals[i], run.history[k - 1].residuals[i]) << method << k;
      }
    }
    EXPECT_GT(*std::max_element(kept.begin(), kept.end()), 0u) << "one was ready before another";
  }
}

TEST(Momentum, SavesMostRounds) {
  const SmallStudy small = make_small_study(kPlain);
  for (const std::string method : {"fedpgd", "pgd"}) {
    SolveOptions options = with_method(method);
    options.stop.kkt = 1e-5;
    const int plain = Recorded(small, options).solution.summary.rounds;
    options.fedpgd.accelerated = options.pgd.accelerated = true;
    EXPECT_LT(Recorded(small, options).solution.summary.rounds, plain / 4) << method;
  }
}

// --- the paper's comparison, small

std::vector<double> objectives(const SmallStudy& study, const std::string& method) {
  SolveOptions options;  // the paper's, r = 1 throughout
  options.method = method;
  options.stop.rounds = 400;
  options.stop.kkt = 1e-30;
  std::vector<double> f;
  for (const RoundRecord& r : Recorded(study, options).history) f.push_back(r.objective);
  return f;
}

TEST(Firm, MatchesFedPgdObjectiveWhileStepIsHeld) {
  SimulateOptions options;
  options.size = 48;
  options.angles = 12;
  options.threads = 1;
  const SmallStudy study = study_of(simulate(options));
  const std::vector<double> firm = objectives(study, "firm");
  const std::vector<double> fedpgd = objectives(study, "fedpgd");
  ASSERT_EQ(firm.size(), 401u);
  for (std::size_t k = 0; k < firm.size(); ++k) EXPECT_NEAR(firm[k] / fedpgd[k], 1, 0.01) << k;
  EXPECT_LT(firm.back(), 1e-3 * firm.front());
}

}  // namespace
}  // namespace firm
