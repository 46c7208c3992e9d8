#include "paper/items/general_fedpgd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/timing.h"
#include "model/problem.h"
#include "paper/items/general_projection.h"
#include "solve/method_names.h"
#include "solve/methods/projection.h"

namespace firm::paper {
namespace {

constexpr double kTolerance = 1e-6;  // a usual default of solvers

std::string id_of(const Plan& plan) {
  return fmt::format("{}_rounds={}", plan.trial("fedpgd-general", 0).id(), plan.general_rounds);
}

// ||w - P(v)||, with P the exact projection.
double deviation(const std::vector<double>& c, const Block& v, const Block& w) {
  constexpr std::size_t kBatch = PixelProjection::kBatch;
  PixelProjection exact(c);
  std::vector<double> values(v.columns() * kBatch);
  double squares = 0;
  for (std::size_t first = 0; first < v.rows(); first += kBatch) {
    const std::size_t count = std::min(kBatch, v.rows() - first);
    for (std::size_t i = 0; i < v.columns(); ++i) {
      for (std::size_t k = 0; k < count; ++k) {
        values[i * kBatch + k] = static_cast<double>(v(first + k, i));
      }
    }
    exact.project(values);
    for (std::size_t i = 0; i < v.columns(); ++i) {
      for (std::size_t k = 0; k < count; ++k) {
        const double d = static_cast<double>(w(first + k, i)) - values[i * kBatch + k];
        squares += d * d;
      }
    }
  }
  return std::sqrt(squares);
}

Json run(const Plan& plan, int threads, const Watch& watch) {
  const SimulatedStudy made = study_of(plan.trial(method::kFedPgd, 0));
  Problem problem(made.study, made.data, {threads});
  std::vector<double> c;
  for (std::size_t i = 0; i + 1 < made.study.sites.size(); ++i) {
    c.push_back(made.study.sites[i].coefficient);
  }
  Residual residual(problem);
  Sinograms y = problem.operators().make_sinograms();
  Block w(problem.pixels(), problem.columns());
  Block g(problem.pixels(), problem.columns());
  const auto step = static_cast<float>(2 * 3 / (4 * problem.lambda_max()));
  Block v = w;
  double iterations = 0;
  double seconds = 0;
  for (int t = 0; t < plan.general_rounds; ++t) {
    if (!watch(static_cast<double>(t) / plan.general_rounds)) throw Interrupted{};
    const Timed timed(seconds);
    problem.operators().forward(w, y);
    residual.subtract_data(y);
    problem.operators().adjoint(y, g);  // g / 2
    for (std::size_t k = 0; k < w.size(); ++k) v.data()[k] = w.data()[k] - step * g.data()[k];
    w = v;
    iterations += project_generally(c, w, kTolerance).iterations;
  }
  problem.operators().forward(w, y);
  residual.subtract_data(y);
  return {{"solver", general_projection_solver()},
          {"rounds", plan.general_rounds},
          {"seconds_per_round", seconds / plan.general_rounds},
          {"iterations", iterations / plan.general_rounds},
          {"objective", residual.objective()},
          {"deviation", deviation(c, v, w)}};
}

}  // namespace

bool has_general_fedpgd() { return has_general_projection(); }

Task general_fedpgd_task(const Plan& plan) {
  // A projection onto W takes about as long as ten thousand products with A.
  return {id_of(plan), 1e4 * plan.general_rounds * plan.trial(method::kFedPgd, 0).cost(), true,
          [plan](int threads, const Watch& watch) { return run(plan, threads, watch); }};
}

GeneralFedPgd general_fedpgd(const Plan& plan, const Results& results) {
  const Json& j = results.get(id_of(plan));
  GeneralFedPgd r;
  j.at("solver").get_to(r.solver);
  j.at("rounds").get_to(r.rounds);
  j.at("seconds_per_round").get_to(r.seconds_per_round);
  j.at("iterations").get_to(r.iterations);
  j.at("objective").get_to(r.objective);
  j.at("deviation").get_to(r.deviation);
  return r;
}

}  // namespace firm::paper
