#include "solve/methods/plsqr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

double inverse(double value) { return value > 0 ? 1 / value : 0; }

}  // namespace

Plsqr::Plsqr(Problem& problem, const SolveOptions& options)
    : problem_(problem),
      tolerance_(options.plsqr.tolerance),
      levels_(residual_levels(problem, options.stop)),
      columns_(problem.columns()),
      loop_(problem.pixels(), problem.columns(), 1, problem.threads()),
      u_(problem.data()),
      y_(problem.operators().make_sinograms()),
      v_(problem.pixels(), problem.columns()),
      g_(problem.pixels(), problem.columns()),
      w_(problem.pixels(), problem.columns()),
      x_(problem.pixels(), problem.columns()),
      images_(problem.pixels(), problem.columns()),
      squares_(problem.columns(), 0.0) {
  for (const Block& u : u_) ray_loops_.emplace_back(u.rows(), u.columns(), 1, problem.threads());
  start();
}

// beta u = b, alpha v = A^T u, w = v.
MethodFootprint Plsqr::footprint(const SolveOptions& /*options*/, const HostedSize& size) {
  MethodFootprint f;
  f.held = {5 * size.images, 2 * size.rays};
  f.state = {3 * size.images, size.rays};
  return f;
}

void Plsqr::start() {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].beta = columns_[c].phi_bar = std::sqrt(problem_.energy()[c]);
    columns_[c].active = problem_.variables()[c / problem_.slices()].measured;
  }
  for (std::size_t g = 0; g < u_.size(); ++g) {
    const std::vector<float> scale = ray_loops_[g].pattern([&](std::size_t c) {
      return inverse(columns_[problem_.operators().image_column(g, c)].beta);
    });
    float* u = u_[g].data();
    ray_loops_[g].run([&](std::size_t k, std::size_t j, float*) { u[k] *= scale[j]; });
  }
  for (Column& c : columns_) c.beta = 0;  // no v precedes the first one
  update_v();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].rho_bar = columns_[c].alpha;
    columns_[c].gradient = columns_[c].alpha * columns_[c].phi_bar;
    columns_[c].norm = columns_[c].alpha;
    judge(columns_[c], levels_[c], std::sqrt(problem_.energy()[c]));
  }
  w_ = v_;
}

// beta u = A v - alpha u.
void Plsqr::update_u() {
  problem_.operators().forward(v_, y_);
  for (std::size_t g = 0; g < u_.size(); ++g) {
    ColumnLoop& loop = ray_loops_[g];
    const auto column = [&](std::size_t c) -> Column& {
      return columns_[problem_.operators().image_column(g, c)];
    };
    const std::vector<float> alpha = loop.pattern([&](std::size_t c) { return column(c).alpha; });
    const float* y = y_[g].data();
    float* u = u_[g].data();
    loop.run([&](std::size_t k, std::size_t j, float* sums) {
      u[k] = y[k] - alpha[j] * u[k];
      sums[j] += u[k] * u[k];
    });
    for (std::size_t c = 0; c < u_[g].columns(); ++c) column(c).beta = std::sqrt(loop.sum(0, c));
    const std::vector<float> scale =
        loop.pattern([&](std::size_t c) { return inverse(column(c).beta); });
    loop.run([&](std::size_t k, std::size_t j, float*) { u[k] *= scale[j]; });
  }
}

// alpha v = A^T u - beta v.
void Plsqr::update_v() {
  problem_.operators().adjoint(u_, g_);
  const std::vector<float> beta = loop_.pattern([&](std::size_t c) { return columns_[c].beta; });
  const float* g = g_.data();
  float* v = v_.data();
  loop_.run([&](std::size_t k, std::size_t j, float* sums) {
    v[k] = g[k] - beta[j] * v[k];
    sums[j] += v[k] * v[k];
  });
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].alpha = std::sqrt(loop_.sum(0, c));
  const std::vector<float> scale =
      loop_.pattern([&](std::size_t c) { return inverse(columns_[c].alpha); });
  loop_.run([&](std::size_t k, std::size_t j, float*) { v[k] *= scale[j]; });
}

// Applies the next plane rotation of the bidiagonal matrix.
void Plsqr::rotate(Column& c, double next_alpha) const {
  const double rho = std::hypot(c.rho_bar, c.beta);
  const double cosine = rho > 0 ? c.rho_bar / rho : 1;
  const double sine = rho > 0 ? c.beta / rho : 0;
  const double theta = sine * next_alpha;
  const double phi = cosine * c.phi_bar;
  c.along_w = rho > 0 ? phi / rho : 0;
  c.turn = rho > 0 ? theta / rho : 0;
  c.norm = std::sqrt(c.norm * c.norm + c.beta * c.beta + next_alpha * next_alpha);
  c.phi_bar *= sine;
  c.rho_bar = -cosine * next_alpha;
  c.gradient = c.phi_bar * next_alpha * std::abs(cosine);
}

// x += (phi / rho) w, w = v - (theta / rho) w, in active columns.
void Plsqr::update_x() {
  const std::vector<float> along =
      loop_.pattern([&](std::size_t c) { return columns_[c].active ? columns_[c].along_w : 0.0; });
  const std::vector<float> turn = loop_.pattern([&](std::size_t c) { return columns_[c].turn; });
  const float* v = v_.data();
  float* w = w_.data();
  float* x = x_.data();
  loop_.run([&](std::size_t k, std::size_t j, float* sums) {
    const float change = along[j] * w[k];
    x[k] += change;
    w[k] = v[k] - turn[j] * w[k];
    sums[j] += change * change;
  });
  step_squared_ = loop_.total(0);
}

void Plsqr::judge(Column& c, double level, double b_norm) const {
  if (c.gradient <= tolerance_ * c.norm * c.phi_bar || c.phi_bar <= tolerance_ * b_norm ||
      (level > 0 && c.phi_bar <= level)) {
    c.active = false;
  }
}

void Plsqr::share() {
  scalars = {};
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const double weight = problem_.variables()[c / problem_.slices()].weight;
    squares_[c] = columns_[c].phi_bar * columns_[c].phi_bar;
    scalars.objective += weight * squares_[c];
    if (columns_[c].active) scalars.size_squared += 1;  // columns still active
    const double gradient = 2 * weight * columns_[c].gradient;
    scalars.kkt_squared += gradient * gradient;
  }
  scalars.step_squared = step_squared_;
  scalars.unmet = count_unmet(squares_, levels_);
}

Verdict Plsqr::judge() {
  Verdict verdict;
  if (scalars.size_squared == 0) {
    verdict.done = Termination{
        "tolerance", fmt::format("every column of every site has ||A^T r|| <= {:.3g} ||A|| ||r||, "
                                 "||r|| <= {:.3g} ||b||, or meets the discrepancy rule",
                                 tolerance_, tolerance_)};
  }
  return verdict;
}

void Plsqr::update() {
  std::vector<Column> before = columns_;
  update_u();
  update_v();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!before[c].active) {
      // Keeps the numbers of this column while the others continue.
      const Column now = columns_[c];
      columns_[c] = before[c];
      columns_[c].alpha = now.alpha;
      columns_[c].beta = now.beta;
      continue;
    }
    rotate(columns_[c], columns_[c].alpha);
  }
  update_x();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    judge(columns_[c], levels_[c], std::sqrt(problem_.energy()[c]));
  }
  ++rounds_;
}

const Block& Plsqr::images() {
  const float* x = x_.data();
  float* out = images_.data();
  loop_.run([=](std::size_t k, std::size_t, float*) { out[k] = x[k] > 0 ? x[k] : 0.0f; });
  return images_;
}

void Plsqr::archive(Archive& archive) {
  for (std::size_t g = 0; g < u_.size(); ++g) {
    archive.values(fmt::format("u{}", g), u_[g].values());
  }
  archive.values("v", v_.values());
  archive.values("w", w_.values());
  archive.values("x", x_.values());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string at = fmt::format("column{}/", c);
    Column& column = columns_[c];
    archive.number(at + "alpha", column.alpha);
    archive.number(at + "beta", column.beta);
    archive.number(at + "rho_bar", column.rho_bar);
    archive.number(at + "phi_bar", column.phi_bar);
    archive.number(at + "gradient", column.gradient);
    archive.number(at + "norm", column.norm);
    archive.flag(at + "active", column.active);
  }
  archive.number("step_squared", step_squared_);
  archive.number("rounds", rounds_);
}

}  // namespace firm
