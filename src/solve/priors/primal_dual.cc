#include "solve/priors/primal_dual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr double kTheta = 0.05;
constexpr double kLowest = 1.0 / 768;  // f0, cycles per beamlet
constexpr double kEdgeNorm = 16;       // twice ||G||^2
constexpr int kPowerSteps = 30;
constexpr double kMargin = 1.03;  // of a norm from so few steps

double ramp(double frequency) { return std::max(frequency, kLowest); }

// Filters each angle of each column: to += filter of from. `filters` has one entry per column.
void add_filtered(const std::vector<DetectorFilter>& filters, const Block& from, Block& to,
                  int threads) {
  const std::size_t beamlets = filters.front().beamlets();
  const std::size_t columns = from.columns();
  parallel_rows(from.rows() / beamlets, threads, [&](std::size_t angle) {
    std::vector<float> x(beamlets);
    std::vector<float> y(beamlets);
    std::vector<float> twice(2 * beamlets);
    const std::size_t first = angle * beamlets;
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t j = 0; j < beamlets; ++j) {
        x[j] = from(first + j, c);
        y[j] = to(first + j, c);
      }
      filters[c].add(x, twice, y);
      for (std::size_t j = 0; j < beamlets; ++j) to(first + j, c) = y[j];
    }
  });
}

std::size_t beamlets_of(const Operators& operators, std::size_t group) {
  return static_cast<std::size_t>(operators.groups()[group].projector->geometry().beamlets);
}

}  // namespace

PrimalDual::PrimalDual(int image_rows, int image_columns, std::size_t columns, int threads)
    : rows_(image_rows), image_columns_(image_columns), columns_(columns), threads_(threads) {
  const auto pixels =
      static_cast<std::size_t>(image_rows) * static_cast<std::size_t>(image_columns);
  ahead_ = edge_row_ = edge_column_ = gradient_ = part_ = Block(pixels, columns);
}

void PrimalDual::add_term(Operators& operators, const std::vector<double>& kappa) {
  FIRM_CHECK(kappa.size() == columns_);
  Term term{&operators, kappa, {}, operators.make_sinograms(), operators.make_sinograms(), {}, {}};
  measure_norms(term);
  terms_.push_back(std::move(term));
}

// l = ||A^T R A|| by power iteration, from an image of alternating sizes.
void PrimalDual::measure_norms(Term& term) {
  std::vector<std::vector<DetectorFilter>> filters;
  for (std::size_t g = 0; g < term.product.size(); ++g) {
    const DetectorFilter plain(beamlets_of(*term.operators, g), ramp);
    filters.emplace_back(term.product[g].columns(), plain);
  }
  Block& x = part_;
  for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = 1 + 0.5f * static_cast<float>(k % 7);
  for (int step = 0; step < kPowerSteps; ++step) {
    std::vector<double> squares(columns_, 0.0);
    for (std::size_t k = 0; k < x.size(); ++k) {
      squares[k % columns_] += static_cast<double>(x.data()[k]) * static_cast<double>(x.data()[k]);
    }
    term.norm.clear();
    for (const double square : squares) term.norm.push_back(std::sqrt(square));
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double norm = term.norm[k % columns_];
      x.data()[k] = norm > 0 ? static_cast<float>(static_cast<double>(x.data()[k]) / norm) : 0.0f;
    }
    term.operators->forward(x, term.product);
    for (std::size_t g = 0; g < term.product.size(); ++g) {
      std::ranges::fill(term.dual[g].values(), 0.0f);
      add_filtered(filters[g], term.product[g], term.dual[g], threads_);
    }
    term.operators->adjoint(term.dual, x);
  }
  std::fill(term.norm.begin(), term.norm.end(), 0.0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    term.norm[k % columns_] += static_cast<double>(x.data()[k]) * static_cast<double>(x.data()[k]);
  }
  for (double& norm : term.norm) norm = kMargin * std::sqrt(norm);
  for (Block& dual : term.dual) std::ranges::fill(dual.values(), 0.0f);
}

std::size_t PrimalDual::terms_of(std::size_t column) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(terms_, [&](const Term& term) { return term.kappa[column] > 0; }));
}

void PrimalDual::prepare(const std::vector<double>& lambda, const std::vector<double>& largest) {
  lambda_ = lambda;
  tau_.assign(columns_, 0.0);
  for (std::size_t c = 0; c < columns_; ++c) {
    FIRM_CHECK(lambda[c] > 0);
    tau_[c] = kTheta * (largest[c] > 0 ? largest[c] : 1) / lambda[c];
  }
  for (Term& term : terms_) make_filters(term);
}

// With s = R / (2 K l tau): 1 / (1 + s / 2 kappa) for y, s / (1 + s / 2 kappa) for the residual.
void PrimalDual::make_filters(Term& term) {
  term.of_dual.assign(term.product.size(), {});
  term.of_residual.assign(term.product.size(), {});
  for (std::size_t g = 0; g < term.product.size(); ++g) {
    const std::size_t beamlets = beamlets_of(*term.operators, g);
    for (std::size_t column = 0; column < term.product[g].columns(); ++column) {
      const std::size_t c = term.operators->image_column(g, column);
      const double kappa = term.kappa[c];
      const double scale =
          kappa > 0 ? 1 / (2 * static_cast<double>(terms_of(c)) * term.norm[c] * tau_[c]) : 0;
      const auto damped = [=](double f) {
        return kappa > 0 ? 1 / (1 + scale * ramp(f) / (2 * kappa)) : 0;
      };
      term.of_dual[g].emplace_back(beamlets, damped);
      term.of_residual[g].emplace_back(beamlets,
                                       [=](double f) { return scale * ramp(f) * damped(f); });
    }
  }
}

// product: A wbar, then A wbar - t; y becomes the sum of both filtered.
void PrimalDual::move_data_dual(Term& term, const Sinograms& target) {
  term.operators->forward(ahead_, term.product);
  for (std::size_t g = 0; g < term.product.size(); ++g) {
    Block& r = term.product[g];
    parallel_rows(r.rows(), threads_, [&](std::size_t ray) {
      for (std::size_t column = 0; column < r.columns(); ++column) {
        const double kappa = term.kappa[term.operators->image_column(g, column)];
        if (kappa > 0) r(ray, column) -= target[g](ray, column) / static_cast<float>(kappa);
      }
    });
    Block next(r.rows(), r.columns());
    add_filtered(term.of_dual[g], term.dual[g], next, threads_);
    add_filtered(term.of_residual[g], r, next, threads_);
    std::swap(term.dual[g], next);
  }
}

void PrimalDual::move_edge_dual() {
  const auto width = static_cast<std::size_t>(image_columns_);
  parallel_rows(static_cast<std::size_t>(rows_), threads_, [&](std::size_t row) {
    const bool last = row + 1 == static_cast<std::size_t>(rows_);
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t p = row * width + x;
      for (std::size_t c = 0; c < columns_; ++c) {
        const float here = ahead_(p, c);
        const float right = x + 1 < width ? ahead_(p + 1, c) - here : 0.0f;
        const float down = last ? 0.0f : ahead_(p + width, c) - here;
        const auto step = static_cast<float>(1 / (kEdgeNorm * tau_[c]));
        const float a = edge_column_(p, c) + step * right;
        const float b = edge_row_(p, c) + step * down;
        const auto most = static_cast<float>(lambda_[c]);
        const float size = std::sqrt(a * a + b * b);
        const float factor = size > most ? most / size : 1.0f;
        edge_column_(p, c) = factor * a;
        edge_row_(p, c) = factor * b;
      }
    }
  });
}

// w+ = (w - tau (gradient + G^T p))_+, wbar = 2 w+ - w.
void PrimalDual::move_image(Block& w) {
  const auto width = static_cast<std::size_t>(image_columns_);
  parallel_rows(static_cast<std::size_t>(rows_), threads_, [&](std::size_t row) {
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t p = row * width + x;
      for (std::size_t c = 0; c < columns_; ++c) {
        const float left = x > 0 ? edge_column_(p - 1, c) : 0.0f;
        const float above = row > 0 ? edge_row_(p - width, c) : 0.0f;
        const float edges = left + above - edge_column_(p, c) - edge_row_(p, c);
        const float moved = w(p, c) - static_cast<float>(tau_[c]) * (gradient_(p, c) + edges);
        const float next = moved > 0 ? moved : 0.0f;
        ahead_(p, c) = 2 * next - w(p, c);
        w(p, c) = next;
      }
    }
  });
}

void PrimalDual::run(int steps, const std::vector<const Sinograms*>& targets, Block& w) {
  FIRM_CHECK(prepared() && targets.size() == terms_.size());
  std::ranges::copy(w.values(), ahead_.values().begin());
  for (int step = 0; step < steps; ++step) {
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      move_data_dual(terms_[k], *targets[k]);
      terms_[k].operators->adjoint(terms_[k].dual, k == 0 ? gradient_ : part_);
      if (k == 0) continue;
      for (std::size_t n = 0; n < part_.size(); ++n) gradient_.data()[n] += part_.data()[n];
    }
    move_edge_dual();
    move_image(w);
  }
}

void PrimalDual::archive(Archive& archive) {
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    for (std::size_t g = 0; g < terms_[k].dual.size(); ++g) {
      archive.values(fmt::format("primal_dual/term{}/group{}", k, g), terms_[k].dual[g].values());
    }
  }
  archive.values("primal_dual/edge_row", edge_row_.values());
  archive.values("primal_dual/edge_column", edge_column_.values());
  tau_.resize(columns_, 0.0);
  lambda_.resize(columns_, 0.0);
  archive.values("primal_dual/tau", std::span<double>(tau_));
  archive.values("primal_dual/lambda", std::span<double>(lambda_));
  const bool known = std::ranges::all_of(tau_, [](double tau) { return tau > 0; });
  if (!known) tau_.clear();
  if (known) {
    for (Term& term : terms_) make_filters(term);
  }
}

// Five images and a copy of w; y and A wbar of each term, and y of one term once more while it
// moves.
void PrimalDual::add_footprint(const HostedSize& size, bool one_term, MethodFootprint& method) {
  const std::uint64_t shared = size.members * size.xrt_rays;
  const std::uint64_t own = one_term ? 0 : size.member_rays;
  method.held.images += 6 * size.members;
  method.held.rays += 2 * (shared + own) + std::max(shared, own);
  method.state.images += 2 * size.members;
  method.state.rays += shared + own;
}

}  // namespace firm
