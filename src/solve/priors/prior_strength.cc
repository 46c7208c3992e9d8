#include "solve/priors/prior_strength.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solve/methods/nnls.h"
#include "solve/priors/ray_hash.h"
#include "solve/priors/tv.h"

namespace firm {
namespace {

constexpr double kLargest = 4;
constexpr std::size_t kPoints = 11;  // down to 0.125
constexpr int kFirstSteps = 80;
constexpr int kSteps = 40;
constexpr std::uint64_t kPartLeftOut = 10;  // one ray of so many
constexpr double kFactor = 1.4;             // strength / minimum of the curve

bool left_out(std::uint64_t seed, std::size_t slot, std::size_t ray) {
  return hashed(seed, slot, ray) % kPartLeftOut == 0;
}

std::vector<ImageOperator> matrices_of(const Problem& problem) {
  std::vector<ImageOperator> matrices;
  for (const Variable& v : problem.variables()) matrices.push_back(v.matrix());
  return matrices;
}

// Errors of columns that are judged together, by rho.
class Trace {
 public:
  // Adds the error at the next rho; returns true if it is the smallest so far.
  bool add(double error) {
    errors_.push_back(error);
    const bool best =
        error < *std::min_element(errors_.begin(), errors_.end() - 1) || errors_.size() == 1;
    const bool rises = errors_.size() > 1 && error > errors_[errors_.size() - 2];
    rises_ = rises ? rises_ + 1 : 0;
    return best;
  }
  bool done() const { return rises_ >= 2; }
  // Continues the last rise for the rho that were not tried.
  double error(std::size_t k) const {
    if (k < errors_.size()) return errors_[k];
    const double slope = errors_.back() - errors_[errors_.size() - 2];
    return errors_.back() + slope * static_cast<double>(k + 1 - errors_.size());
  }

 private:
  std::vector<double> errors_;
  int rises_ = 0;
};

class StrengthSearch {
 public:
  explicit StrengthSearch(const StrengthInput& input);

  void run();
  // Sum of the errors / s_i^2 over the hosted columns, for each rho.
  std::vector<double> errors() const;
  Block take_images() { return std::move(best_); }

 private:
  bool searched(std::size_t column) const {
    return input_.problem.variables()[column / slices_].measured && input_.noise[column] > 0;
  }
  void leave_out_rays();
  void add_term();
  void set_steps();
  void set_prior();
  void set_strength(double rho);
  void judge();
  std::vector<double> column_errors();

  StrengthInput input_;
  std::size_t slices_;
  std::size_t together_;  // columns that are judged together: with slice_scale all of a variable
  Operators kept_;        // A without the rays left out
  Nnls nnls_;
  Sinograms products_;
  TotalVariation* prior_ = nullptr;
  std::vector<Trace> traces_;
  Block best_;
};

StrengthSearch::StrengthSearch(const StrengthInput& input)
    : input_(input),
      slices_(input.problem.slices()),
      together_(input.slice_scale > 0 ? slices_ : 1),
      kept_(matrices_of(input.problem), slices_, input.problem.threads()),
      nnls_(input.problem.pixels(), input.problem.columns(), true, input.problem.threads()),
      products_(input.problem.operators().make_sinograms()),
      traces_(input.problem.columns() / together_),
      best_(input.problem.pixels(), input.problem.columns()) {
  leave_out_rays();
  add_term();
  set_steps();
  set_prior();
}

void StrengthSearch::leave_out_rays() {
  for (std::size_t v = 0; v < input_.problem.variables().size(); ++v) {
    const Variable& variable = input_.problem.variables()[v];
    if (!variable.measured) continue;
    const Block roots = input_.problem.operators().roots(v);
    Block weights(variable.geometry.rays(), slices_);
    for (std::size_t ray = 0; ray < weights.rows(); ++ray) {
      const bool out = left_out(input_.seed, variable.slot, ray);
      for (std::size_t z = 0; z < slices_; ++z) {
        const float root = roots.size() > 0 ? roots(ray, z) : 1.0f;
        weights(ray, z) = out ? 0.0f : root * root;
      }
    }
    kept_.weigh(v, weights);
  }
}

// The rays left out have a target of 0, like their rows of `kept_`.
void StrengthSearch::add_term() {
  const Problem& problem = input_.problem;
  std::vector<double> alpha;
  for (const Variable& v : problem.variables()) alpha.insert(alpha.end(), slices_, v.weight);
  Sinograms& target = nnls_.target(nnls_.add_term(kept_, alpha));
  for (std::size_t g = 0; g < target.size(); ++g) {
    for (std::size_t c = 0; c < target[g].columns(); ++c) {
      const Variable& v = problem.variables()[kept_.image_column(g, c) / slices_];
      for (std::size_t ray = 0; ray < target[g].rows(); ++ray) {
        const bool out = left_out(input_.seed, v.slot, ray);
        target[g](ray, c) = out ? 0.0f : static_cast<float>(v.weight) * problem.data()[g](ray, c);
      }
    }
  }
}

void StrengthSearch::set_steps() {
  for (std::size_t c = 0; c < input_.problem.columns(); ++c) {
    nnls_.set_step(c, 0.5 / input_.problem.curvature()[c]);
    if (!searched(c)) nnls_.hold(c);
  }
}

void StrengthSearch::set_prior() {
  TvOptions tv;
  tv.image_rows = input_.problem.study().image_rows;
  tv.image_columns = input_.problem.study().image_columns;
  tv.slices = slices_;
  tv.lambda.assign(input_.problem.columns(), 0.0);
  tv.inner = input_.inner;
  tv.slice_scale = input_.slice_scale;
  tv.threads = input_.problem.threads();
  auto prior = std::make_unique<TotalVariation>(tv);
  prior_ = prior.get();
  std::vector<std::size_t> columns(input_.problem.columns());
  std::iota(columns.begin(), columns.end(), 0);
  nnls_.set_prior(std::move(prior), columns);
}

void StrengthSearch::set_strength(double rho) {
  std::vector<double> lambda;
  for (const double unit : input_.unit_lambda) lambda.push_back(rho * unit);
  prior_->set_lambda(std::move(lambda));
  nnls_.restart();
}

// Errors of the rays left out, / s_i^2.
std::vector<double> StrengthSearch::column_errors() {
  Problem& problem = input_.problem;
  problem.operators().forward(nnls_.images(), products_);
  std::vector<double> errors(problem.columns(), 0.0);
  for (std::size_t g = 0; g < products_.size(); ++g) {
    for (std::size_t c = 0; c < products_[g].columns(); ++c) {
      const std::size_t column = problem.operators().image_column(g, c);
      const std::size_t v = column / slices_;
      if (!searched(column)) continue;
      double sum = 0;
      for (std::size_t ray = 0; ray < products_[g].rows(); ++ray) {
        if (!left_out(input_.seed, problem.variables()[v].slot, ray)) continue;
        const double r = static_cast<double>(products_[g](ray, c) - problem.data()[g](ray, c));
        sum += r * r;
      }
      errors[column] = sum / (input_.noise[column] * input_.noise[column]);
    }
  }
  return errors;
}

// Keeps images that are better than those before, and holds columns whose errors have risen twice.
void StrengthSearch::judge() {
  const std::vector<double> errors = column_errors();
  for (std::size_t t = 0; t < traces_.size(); ++t) {
    if (traces_[t].done() || !searched(t * together_)) continue;
    const auto first = errors.begin() + static_cast<std::ptrdiff_t>(t * together_);
    const double error =
        std::accumulate(first, first + static_cast<std::ptrdiff_t>(together_), 0.0);
    const bool best = traces_[t].add(error);
    for (std::size_t c = t * together_; c < (t + 1) * together_; ++c) {
      for (std::size_t p = 0; best && p < best_.rows(); ++p) best_(p, c) = nnls_.images()(p, c);
      if (traces_[t].done()) nnls_.hold(c);
    }
  }
}

void StrengthSearch::run() {
  const std::vector<double> grid = strength_grid();
  for (std::size_t k = 0; k < grid.size(); ++k) {
    bool open = false;
    for (std::size_t c = 0; c < input_.problem.columns(); ++c) open = open || !nnls_.held(c);
    if (!open) return;
    set_strength(grid[k]);
    const int steps = k == 0 ? kFirstSteps : kSteps;
    for (int m = 0; m < steps; ++m) nnls_.step();
    nnls_.finish_steps();
    judge();
  }
}

std::vector<double> StrengthSearch::errors() const {
  std::vector<double> errors(kPoints, 0.0);
  for (std::size_t t = 0; t < traces_.size(); ++t) {
    if (!searched(t * together_)) continue;
    for (std::size_t k = 0; k < kPoints; ++k) errors[k] += traces_[t].error(k);
  }
  return errors;
}

}  // namespace

std::vector<double> strength_grid() {
  std::vector<double> grid;
  for (std::size_t k = 0; k < kPoints; ++k) {
    grid.push_back(kLargest * std::pow(2.0, -0.5 * static_cast<double>(k)));
  }
  return grid;
}

double strength_at_minimum(const std::vector<PriorSummary::Point>& curve) {
  const auto at = std::ranges::min_element(curve, {}, &PriorSummary::Point::error);
  if (at == curve.begin() || at + 1 == curve.end()) return at->strength;
  const double left = (at - 1)->error - at->error;
  const double right = (at + 1)->error - at->error;
  const double part = left + right > 0 ? 0.5 * (left - right) / (left + right) : 0;
  const double step = std::log((at + 1)->strength / at->strength);
  return at->strength * std::exp(part * step);
}

FoundStrength find_strength(const StrengthInput& input, Collective& collective) {
  StrengthSearch search(input);
  search.run();
  std::vector<double> errors = search.errors();
  collective.sum({}, errors);
  collective.sum_slices(errors);
  FoundStrength found;
  const std::vector<double> grid = strength_grid();
  for (std::size_t k = 0; k < grid.size(); ++k) found.curve.push_back({grid[k], errors[k]});
  found.strength = kFactor * strength_at_minimum(found.curve);
  found.images = search.take_images();
  return found;
}

}  // namespace firm
