// Prints the cost of the total-variation prior: a proximal step alone, and a local step of a method
// (one projection, one back-projection, passes over the images) with the prior, divided by one
// without. The measurements alternate, so that other load on the machine changes their ratio less.
//
//   prior_table [SECONDS] [TURNS]     seconds per measurement and turn (default: 0.5 and 5)
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "core/timing.h"
#include "solve/methods/nnls.h"
#include "solve/priors/tv.h"

namespace firm {
namespace {

constexpr int kSide = 512;
constexpr int kAngles = 180;
constexpr std::size_t kColumns = 4;
constexpr int kInner[] = {10, 20, 30};

// Discs of different size, so that images have edges and flat parts.
Block make_truth(const Geometry& g) {
  Block truth(g.pixels(), kColumns);
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      const double x = 2.0 * column / kSide - 1;
      const double y = 2.0 * row / kSide - 1;
      for (std::size_t c = 0; c < kColumns; ++c) {
        const double radius = 0.9 - 0.2 * static_cast<double>(c);
        const bool inside = x * x + y * y < radius * radius;
        truth(static_cast<std::size_t>(row * kSide + column), c) = inside ? 1.0f : 0.0f;
      }
    }
  }
  return truth;
}

std::unique_ptr<TotalVariation> make_prior(double lambda, int inner) {
  TvOptions o;
  o.image_rows = o.image_columns = kSide;
  o.lambda.assign(kColumns, lambda);
  o.inner = inner;
  return std::make_unique<TotalVariation>(o);
}

// || A w - b ||^2 for four images, with a prior if inner > 0.
std::unique_ptr<Nnls> make_solver(Operators& operators, const Block& truth, int inner) {
  auto solver = std::make_unique<Nnls>(truth.rows(), kColumns, true, thread_count(0));
  const std::size_t term = solver->add_term(operators, std::vector<double>(kColumns, 1.0));
  operators.forward(truth, solver->target(term));
  const double hessian = 2 * operators.lambda_max().front();
  for (std::size_t c = 0; c < kColumns; ++c) solver->set_step(c, 1 / hessian);
  if (inner > 0) solver->set_prior(make_prior(1e-3 * hessian, inner), {0, 1, 2, 3});
  return solver;
}

struct Measurement {
  std::string name;
  std::function<void()> work;
  double seconds = 1e300;
};

void print_table(double budget, int turns) {
  const Geometry g = paper_geometry(kSide, kAngles);
  Operators operators(std::vector<ImageOperator>(kColumns, ImageOperator(&g)), 1, thread_count(0));
  const Block truth = make_truth(g);
  Block w = truth;
  Block v = truth;
  std::vector<std::unique_ptr<Nnls>> solvers;
  std::vector<std::unique_ptr<TotalVariation>> priors;
  std::vector<Measurement> all;
  const auto add_solver = [&](const std::string& name, int inner) {
    solvers.push_back(make_solver(operators, truth, inner));
    all.push_back({name, [solver = solvers.back().get()] { solver->step(); }});
  };
  add_solver("local step without prior", 0);
  for (const int inner : kInner) {
    add_solver(fmt::format("local step, {} inner steps", inner), inner);
  }
  for (const int inner : kInner) {
    priors.push_back(make_prior(0.1, inner));
    all.push_back(
        {fmt::format("proximal step, {} inner steps", inner), [&, prior = priors.back().get()] {
           prior->proximal_step(std::vector<double>(kColumns, 1.0), w);
         }});
  }
  all.push_back({"value of the prior", [&, prior = priors.back().get()] {
                   std::vector<double> values(kColumns, 0.0);
                   prior->add_values(v, values);
                 }});
  for (int turn = 0; turn < turns; ++turn) {
    for (Measurement& m : all) m.seconds = std::min(m.seconds, least_seconds(budget, m.work));
  }
  fmt::print("{0} x {0} pixels x {1} angles, {2} columns, {3} threads\n", kSide, kAngles, kColumns,
             thread_count(0));
  fmt::print("| measured | ms | over a local step without prior |\n|---|---|---|\n");
  for (const Measurement& m : all) {
    fmt::print("| {} | {:.2f} | {:.2f} |\n", m.name, m.seconds * 1e3, m.seconds / all[0].seconds);
  }
}

}  // namespace
}  // namespace firm

int main(int argc, char** argv) {
  firm::print_table(argc > 1 ? std::atof(argv[1]) : 0.5, argc > 2 ? std::atoi(argv[2]) : 5);
  return 0;
}
