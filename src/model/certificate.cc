#include "model/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "model/collective.h"
#include "model/coupling.h"
#include "model/duality_gap.h"

namespace firm {
namespace {

// Contribution of the pixels of some rows.
struct Part {
  double stationarity_squared = 0;
  double min_w = std::numeric_limits<double>::infinity();
};

constexpr std::size_t kPiecePixels = 1024;

// Squared distance of -gradient to the normal cone of {w >= 0}, for one value.
double cone_distance_squared(double w, double gradient) {
  return w > 0 || gradient < 0 ? gradient * gradient : 0;
}

// (1 / s_N^2) W (A_N w_N - b_N) at every process: one sum, to which site N alone contributes.
Block share_transmission_residual(Problem& problem, Collective& collective, const Sinograms& r) {
  Block e(problem.study().xrt().geometry.rays(), problem.slices());
  const std::size_t xrt = problem.transmission();
  if (xrt < problem.variables().size()) {
    problem.operators().get(r, xrt, e);
    const Block roots = problem.operators().roots(xrt);
    for (std::size_t k = 0; k < roots.size(); ++k) e.values()[k] *= roots.values()[k];
  }
  collective.sum(e.values(), {});
  return e;
}

// g_N = 2 A_N^T r_N for every slice.
Block transmission_gradient(Problem& problem, const Block& r_n) {
  Operators a_n({&problem.study().xrt().geometry}, problem.slices(), problem.threads());
  Block g(problem.pixels(), problem.slices());
  Sinograms y;
  y.push_back(r_n);
  a_n.adjoint(y, g);
  for (float& value : g.values()) value *= 2;
  return g;
}

// g_v - d_v g_N (joint) or g_v, value by value.
class Gradient {
 public:
  Gradient(const Problem& problem, const Block& half_g, const Block& g_n, bool joint)
      : problem_(problem), half_g_(half_g), g_n_(g_n), joint_(joint) {}

  double operator()(std::size_t pixel, std::size_t column) const {
    const std::size_t slices = problem_.slices();
    const double own = 2 * static_cast<double>(half_g_(pixel, column));
    if (!joint_) return own;
    const double d = problem_.variables()[column / slices].d;
    return own - d * static_cast<double>(g_n_(pixel, column % slices));
  }

 private:
  const Problem& problem_;
  const Block& half_g_;
  const Block& g_n_;
  bool joint_;
};

// Columns whose stationarity counts: all free images without a prior.
std::vector<bool> projected_columns(const Problem& problem, const CertificateOptions& options) {
  std::vector<bool> columns;
  for (std::size_t k = 0; k < problem.columns(); ++k) {
    const Variable& v = problem.variables()[k / problem.slices()];
    columns.push_back(options.joint ? !v.transmission : v.measured);
  }
  if (options.prior != nullptr) {
    for (const std::size_t column : options.prior->columns) columns[column] = false;
  }
  return columns;
}

// Computes the projected gradient over these columns, and the smallest value of all images.
Part measure(const Problem& problem, const Block& w, const Gradient& g,
             const std::vector<bool>& columns) {
  std::vector<Part> parts((w.rows() + kPiecePixels - 1) / kPiecePixels);
  parallel_for(parts.size(), problem.threads(), [&](std::size_t piece) {
    Part& part = parts[piece];
    const std::size_t end = std::min(w.rows(), (piece + 1) * kPiecePixels);
    for (std::size_t p = piece * kPiecePixels; p < end; ++p) {
      for (std::size_t k = 0; k < w.columns(); ++k) {
        const auto value = static_cast<double>(w(p, k));
        part.min_w = std::min(part.min_w, value);
        if (columns[k]) part.stationarity_squared += cone_distance_squared(value, g(p, k));
      }
    }
  });
  Part all;
  for (const Part& part : parts) {
    all.stationarity_squared += part.stationarity_squared;
    all.min_w = std::min(all.min_w, part.min_w);
  }
  return all;
}

// Adds R(w) to the objective, and || (w - prox(w - t g)) / t ||^2 to the stationarity.
void add_prior(const PriorTerm& term, const Block& w, const Gradient& g, double& objective,
               double& stationarity_squared) {
  Block own(w.rows(), term.columns.size());
  for (std::size_t p = 0; p < w.rows(); ++p) {
    for (std::size_t k = 0; k < own.columns(); ++k) own(p, k) = w(p, term.columns[k]);
  }
  std::vector<double> values(own.columns(), 0.0);
  term.prior->add_values(own, values);
  for (const double value : values) objective += value;
  for (std::size_t p = 0; p < w.rows(); ++p) {
    for (std::size_t k = 0; k < own.columns(); ++k) {
      own(p, k) -= static_cast<float>(term.steps[k] * g(p, term.columns[k]));
    }
  }
  term.prior->proximal_step(term.steps, own);
  for (std::size_t p = 0; p < w.rows(); ++p) {
    for (std::size_t k = 0; k < own.columns(); ++k) {
      const double r = static_cast<double>(w(p, term.columns[k]) - own(p, k)) / term.steps[k];
      stationarity_squared += r * r;
    }
  }
}

// Returns the hosted part of the duality gap, of which R(w) is `prior_value`. Call after add_prior.
std::optional<double> gap_part(Problem& problem, const Sinograms& r, const PriorTerm* term,
                               const Gradient& g, double prior_value) {
  if (term == nullptr) return duality_gap(problem, r, Block(), {});
  Block z(problem.pixels(), term->columns.size());
  for (std::size_t p = 0; p < z.rows(); ++p) {
    for (std::size_t k = 0; k < z.columns(); ++k) {
      z(p, k) = static_cast<float>(g(p, term->columns[k]));
    }
  }
  if (!term->prior->add_subgradient(z)) return {};
  const std::optional<double> part = duality_gap(problem, r, z, term->columns);
  return part ? std::optional(*part + prior_value) : std::nullopt;
}

double squared(std::span<const float> values) {
  double sum = 0;
  for (const float v : values) sum += static_cast<double>(v) * static_cast<double>(v);
  return sum;
}

}  // namespace

double data_gradient_norm(Problem& problem, Collective& collective) {
  Sinograms y = problem.operators().make_sinograms();  // A 0
  Residual residual(problem);
  residual.subtract_data(y);  // -b / s^2
  Block g(problem.pixels(), problem.columns());
  problem.operators().adjoint(y, g);
  double square = squared(g.values());
  collective.sum({}, std::span(&square, 1));
  collective.sum_slices(std::span(&square, 1));
  return std::sqrt(square);
}

Certificate certify(Problem& problem, Collective& collective, const Block& w,
                    const CertificateOptions& options, Block& mu) {
  Sinograms r = problem.operators().make_sinograms();
  problem.operators().forward(w, r);
  Residual residual(problem);
  residual.subtract_data(r);
  Block half_g(problem.pixels(), problem.columns());
  problem.operators().adjoint(r, half_g);

  mu = Block(problem.pixels(), problem.slices());
  Block g_n(problem.pixels(), problem.slices());
  if (options.joint) {
    g_n = transmission_gradient(problem, share_transmission_residual(problem, collective, r));
    for (std::size_t k = 0; k < mu.size(); ++k) mu.values()[k] = -g_n.values()[k];
  }
  const Gradient g(problem, half_g, g_n, options.joint);
  const Part part = measure(problem, w, g, projected_columns(problem, options));
  Block dw(problem.pixels(), problem.slices());
  if (!options.exact_primal || problem.complete()) Coupling(problem).combine(w, dw.values());

  struct {
    double objective, stationarity_squared;
    double gap = 0, unbounded = 0;  // processes that have no bound
    double primal_squared = 0, multiplier_squared = 0;
    std::span<double> all() { return {&objective, 6}; }
  } sums{residual.objective(), part.stationarity_squared};
  if (options.prior != nullptr) {
    add_prior(*options.prior, w, g, sums.objective, sums.stationarity_squared);
  }
  if (options.gap) {
    const auto gap = gap_part(problem, r, options.prior, g, sums.objective - residual.objective());
    sums.gap = gap.value_or(0);
    sums.unbounded = gap ? 0 : 1;
  }
  collective.sum(options.exact_primal ? std::span<float>() : dw.values(),
                 sums.all().first(options.gap ? 4 : 2));
  sums.primal_squared = squared(dw.values());
  sums.multiplier_squared = squared(mu.values());
  collective.sum_slices(sums.all());

  Certificate certificate;
  certificate.objective = sums.objective;
  certificate.primal = std::sqrt(sums.primal_squared);
  certificate.min_w = part.min_w;
  certificate.stationarity = std::sqrt(sums.stationarity_squared);
  certificate.relative =
      options.gradient_scale > 0 ? certificate.stationarity / options.gradient_scale : 0;
  certificate.multiplier = std::sqrt(sums.multiplier_squared);
  // Rounding may make the gap of optimal images negative.
  if (options.gap && sums.unbounded == 0) certificate.gap = std::max(0.0, sums.gap);
  certificate.squares = residual.squares();
  return certificate;
}

}  // namespace firm
