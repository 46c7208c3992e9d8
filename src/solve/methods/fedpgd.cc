#include "solve/methods/fedpgd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"

namespace firm {
namespace {

constexpr std::size_t kPiecePixels = 1024;

// Exchanges the step of every slot in one sum.
std::vector<double> all_steps(const Problem& problem, double factor, Collective& collective) {
  std::vector<double> alpha(problem.slots(), 0.0);
  for (std::size_t v = 0; v < problem.variables().size(); ++v) {
    alpha[problem.variables()[v].slot] = factor / problem.curvature()[v * problem.slices()];
  }
  collective.sum({}, alpha);
  return alpha;
}

std::vector<double> relative_roots(const std::vector<double>& alpha) {
  std::vector<double> scale;
  for (const double a : alpha) scale.push_back(a == alpha.back() ? 1 : std::sqrt(a / alpha.back()));
  return scale;
}

std::vector<double> inverses(const std::vector<double>& values) {
  std::vector<double> inverse;
  for (const double value : values) inverse.push_back(1 / value);
  return inverse;
}

}  // namespace

FedPgd::FedPgd(Problem& problem, const SolveOptions& options, Collective& collective)
    : problem_(problem),
      accelerated_(options.fedpgd.accelerated),
      alpha_(
          all_steps(problem, options.fedpgd.step_scale * (accelerated_ ? 0.5 : 0.75), collective)),
      inverse_alpha_(inverses(alpha_)),
      scale_(relative_roots(alpha_)),
      inverse_scale_(inverses(scale_)),
      d_(problem.all_d()),
      levels_(discrepancy_levels(problem, options.stop.discrepancy)),
      noise_(problem, measured_variables(problem), options.stop.noise),
      residual_(problem),
      r_(problem.operators().make_sinograms()),
      g_(problem.pixels(), problem.columns()),
      all_(problem.pixels(), problem.slots() * problem.slices()),
      all_w_(problem.pixels(), problem.slots() * problem.slices()),
      hosted_(problem.slots(), 0.0),
      loop_(all_.rows(), all_.columns(), 0, problem.threads()),
      step_pattern_(loop_.pattern([&](std::size_t c) { return 2 * alpha_[c / problem.slices()]; })),
      beta_pattern_(loop_.period(), 0.0f),
      t_(problem.slices(), 1.0),
      beta_(problem.slices(), 0.0) {
  if (!problem.complete()) {
    w_ = Block(problem.pixels(), problem.columns());
    point_ = w_;
  }
  if (accelerated_) {
    all_y_ = Block(all_w_.rows(), all_w_.columns());
    r_before_ = r_point_ = r_;
  }
  for (const Variable& v : problem.variables()) {
    hosted_slot_.push_back(v.slot);
    hosted_[v.slot] = 1;
  }
  // In scaled variables u_i = w_i / scale_i the constraint reads u_N = sum c_i scale_i u_i.
  std::vector<double> c;
  for (std::size_t i = 0; i + 1 < d_.size(); ++i) c.push_back(-d_[i] * scale_[i]);
  const std::size_t pieces = (problem.pixels() + kPiecePixels - 1) / kPiecePixels;
  constexpr std::size_t kBatch = PixelProjection::kBatch;
  const Part part{PixelProjection(c),
                  std::vector<double>(d_.size() * kBatch),
                  std::vector<double>(kBatch),
                  std::vector<double>(problem.slices()),
                  std::vector<std::size_t>(kBatch),
                  std::vector<std::size_t>(kBatch),
                  0,
                  0,
                  0};
  parts_.assign(pieces, part);
}

const Block& FedPgd::point() const {
  if (!problem_.complete()) return point_;
  return accelerated_ ? all_y_ : all_w_;
}

// g / 2 = A^T r(y); r is affine, so r(y) = r(w) + beta (r(w) - r(w_before)).
MethodFootprint FedPgd::footprint(const SolveOptions& options, const HostedSize& size) {
  const bool complete = size.images == size.slots;
  const std::uint64_t hosted = complete ? 0 : 2 * size.images;  // w_, point_
  MethodFootprint f;
  f.held = {size.images + hosted + (options.fedpgd.accelerated ? 3 : 2) * size.slots,
            (options.fedpgd.accelerated ? 3 : 1) * size.rays};
  f.state = {hosted + (options.fedpgd.accelerated ? 2 : 1) * size.slots,
             options.fedpgd.accelerated ? size.rays : 0};
  f.share = {size.slots};
  return f;
}

void FedPgd::form_gradient() {
  problem_.operators().forward(w(), r_);
  residual_.subtract_data(r_);
  for (std::size_t g = 0; accelerated_ && g < r_.size(); ++g) {
    const std::size_t columns = r_[g].columns();
    parallel_rows(r_[g].rows(), problem_.threads(), [&](std::size_t ray) {
      for (std::size_t c = 0; c < columns; ++c) {
        const auto beta = static_cast<float>(beta_[c % problem_.slices()]);
        r_point_[g](ray, c) = r_[g](ray, c) + beta * (r_[g](ray, c) - r_before_[g](ray, c));
      }
    });
  }
  problem_.operators().adjoint(accelerated_ ? r_point_ : r_, g_);
}

// v = y - alpha g of the hosted slots; zero for the others.
void FedPgd::form_share() {
  if (problem_.complete()) {
    const float* y = point().data();
    const float* g = g_.data();
    const float* step = step_pattern_.data();
    float* v = all_.data();
    loop_.run([=](std::size_t k, std::size_t j, float*) { v[k] = y[k] - step[j] * g[k]; });
    return;
  }
  const std::size_t slices = problem_.slices();
  parallel_rows(all_.rows(), problem_.threads(), [&](std::size_t p) {
    std::fill_n(&all_(p, 0), all_.columns(), 0.0f);
    for (std::size_t i = 0; i < hosted_slot_.size(); ++i) {
      const auto step = static_cast<float>(2 * alpha_[hosted_slot_[i]]);
      for (std::size_t z = 0; z < slices; ++z) {
        const std::size_t k = i * slices + z;
        all_(p, hosted_slot_[i] * slices + z) = point_(p, k) - step * g_(p, k);
      }
    }
  });
}

void FedPgd::share() {
  form_gradient();
  form_share();
  scalars.objective = residual_.objective();
  scalars.step_squared = step_squared_;
  scalars.kkt_squared = mapping_squared_;
  count_unmet_columns();
}

void FedPgd::count_unmet_columns() {
  if (!noise_.on()) {
    scalars.unmet = count_unmet(residual_.squares(), levels_);
    return;
  }
  if (noise_.due(rounds_)) {
    std::vector<std::size_t> pixels;
    for (const std::size_t v : measured_variables(problem_)) {
      for (std::size_t c = v * problem_.slices(); c < (v + 1) * problem_.slices(); ++c) {
        std::size_t above = 0;
        for (std::size_t p = 0; p < problem_.pixels(); ++p) above += w()(p, c) > 0 ? 1 : 0;
        pixels.push_back(above);
      }
    }
    noise_.look(rounds_, residual_.squares(), pixels);
  }
  scalars.unmet = static_cast<double>(noise_.open());
}

// Finds the places of the batch's values: `count` slices of pixels from number `first` on,
// pixel-major.
void FedPgd::locate(std::size_t first, std::size_t count, Part& part) const {
  const std::size_t slices = problem_.slices();
  std::size_t slice = first % slices;
  std::size_t pixel = first / slices * d_.size() * slices;
  for (std::size_t k = 0; k < count; ++k) {
    part.slice[k] = slice;
    part.place[k] = pixel + slice;
    if (++slice == slices) {
      slice = 0;
      pixel += d_.size() * slices;
    }
  }
}

// Stores the projected values of variable i, and adds their contribution to the sums.
void FedPgd::take_back(std::size_t count, std::size_t i, Part& part) {
  const std::size_t offset = i * problem_.slices();
  const float* points = (accelerated_ ? all_y_ : all_w_).data() + offset;
  const float* before = all_w_.data() + offset;
  float* after = all_.data() + offset;
  const double* u = part.values.data() + i * PixelProjection::kBatch;
  double step = 0;
  double mapping = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = part.place[k];
    const auto next = static_cast<float>(u[k] * scale_[i]);
    const double change = static_cast<double>(next - before[at]);
    const double back = static_cast<double>(points[at] - next);
    after[at] = next;
    part.violation[k] += d_[i] * static_cast<double>(next);
    if (accelerated_) part.restart[part.slice[k]] += back * change * inverse_alpha_[i];
    step += change * change;
    mapping += back * back;
  }
  part.step_squared += hosted_[i] * step;
  part.mapping_squared += hosted_[i] * mapping * inverse_alpha_[i] * inverse_alpha_[i];
}

void FedPgd::project_batch(std::size_t first, std::size_t count, Part& part) {
  constexpr std::size_t kBatch = PixelProjection::kBatch;
  locate(first, count, part);
  for (std::size_t i = 0; i < d_.size(); ++i) {
    const float* all = all_.data() + i * problem_.slices();
    double* values = part.values.data() + i * kBatch;
    for (std::size_t k = 0; k < count; ++k) {
      values[k] = static_cast<double>(all[part.place[k]]) * inverse_scale_[i];
    }
  }
  part.projection.project(part.values);
  std::fill(part.violation.begin(), part.violation.end(), 0.0);
  for (std::size_t i = 0; i < d_.size(); ++i) take_back(count, i, part);
  for (std::size_t k = 0; k < count; ++k) {
    part.violation_squared += part.violation[k] * part.violation[k];
  }
}

void FedPgd::project_piece(std::size_t piece) {
  Part& part = parts_[piece];
  part.step_squared = part.mapping_squared = part.violation_squared = 0;
  std::fill(part.restart.begin(), part.restart.end(), 0.0);
  const std::size_t slices = problem_.slices();
  const std::size_t end = std::min(all_.rows(), (piece + 1) * kPiecePixels) * slices;
  for (std::size_t k = piece * kPiecePixels * slices; k < end; k += PixelProjection::kBatch) {
    project_batch(k, std::min(PixelProjection::kBatch, end - k), part);
  }
}

void FedPgd::update_momentum() {
  for (std::size_t z = 0; z < t_.size(); ++z) {
    double restart = 0;
    for (const Part& part : parts_) restart += part.restart[z];
    const double next = (1 + std::sqrt(1 + 4 * t_[z] * t_[z])) / 2;
    beta_[z] = !accelerated_ || restart > 0 ? 0 : (t_[z] - 1) / next;
    t_[z] = restart > 0 ? 1 : next;
  }
}

// y = w+ + beta (w+ - w), for all slots; then w+ becomes w.
void FedPgd::extrapolate() {
  const std::size_t slices = problem_.slices();
  if (accelerated_) {
    for (std::size_t j = 0; j < beta_pattern_.size(); ++j) {
      beta_pattern_[j] = static_cast<float>(beta_[j % slices]);
    }
    const float* next = all_.data();
    const float* before = all_w_.data();
    const float* beta = beta_pattern_.data();
    float* y = all_y_.data();
    loop_.run([=](std::size_t k, std::size_t j, float*) {
      y[k] = next[k] + beta[j] * (next[k] - before[k]);
    });
  }
  std::swap(all_, all_w_);
  if (problem_.complete()) return;
  const Block& points = accelerated_ ? all_y_ : all_w_;
  parallel_rows(w_.rows(), problem_.threads(), [&](std::size_t p) {
    for (std::size_t i = 0; i < hosted_slot_.size(); ++i) {
      for (std::size_t z = 0; z < slices; ++z) {
        w_(p, i * slices + z) = all_w_(p, hosted_slot_[i] * slices + z);
        point_(p, i * slices + z) = points(p, hosted_slot_[i] * slices + z);
      }
    }
  });
}

void FedPgd::update() {
  parallel_for(parts_.size(), problem_.threads(), [&](std::size_t piece) { project_piece(piece); });
  step_squared_ = mapping_squared_ = violation_squared_ = 0;
  for (const Part& part : parts_) {
    step_squared_ += part.step_squared;
    mapping_squared_ += part.mapping_squared;
    violation_squared_ += part.violation_squared;
  }
  update_momentum();
  extrapolate();
  if (accelerated_) std::swap(r_, r_before_);
  ++rounds_;
}

std::optional<double> FedPgd::violation() const { return std::sqrt(violation_squared_); }

StopOptions FedPgd::default_stop() const {
  StopOptions stop;
  stop.kkt = 1e-4;
  return stop;
}

void FedPgd::archive(Archive& archive) {
  if (!problem_.complete()) {
    archive.values("w", w_.values());
    archive.values("point", point_.values());
  }
  archive.values("all_w", all_w_.values());
  if (accelerated_) archive.values("all_y", all_y_.values());
  for (std::size_t g = 0; g < r_before_.size(); ++g) {
    archive.values(fmt::format("r_before{}", g), r_before_[g].values());
  }
  archive.values("t", std::span<double>(t_));
  archive.values("beta", std::span<double>(beta_));
  archive.number("step_squared", step_squared_);
  archive.number("mapping_squared", mapping_squared_);
  archive.number("violation_squared", violation_squared_);
  archive.number("rounds", rounds_);
  noise_.archive(archive, "noise");
}

}  // namespace firm
