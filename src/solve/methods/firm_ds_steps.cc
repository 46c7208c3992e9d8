// Local steps of firm-ds: the start, the end at the noise, and the primal-dual method.
#include <algorithm>
#include <cmath>

#include "solve/methods/alone.h"
#include "solve/methods/firm_ds.h"

namespace firm {

// Starts each site by itself, with steps on its own term while the other term stays at its minimum.
// If sites started from w = 0, the first sum would be -b_N and show the XRT measurements to every
// site.
void FirmDs::start() {
  if (by_noise_) begin_from_alone();
  std::fill(message_.values().begin(), message_.values().end(), 0.0f);
  const int steps = next_steps();
  for (int m = 0; m < steps && !members_.empty(); ++m) {
    fill_shared_target();
    nnls_.targets_changed();
    nnls_.step();
    nnls_.finish_steps();
  }
  iterations_ = steps;
}

// Fits each site alone, and bounds its residual by that: a joint image has more data behind it, and
// need not fit its own closer. XRT, whose image is the sum of the others, ends in the second stage,
// a third of the way from its fit alone to its noise.
void FirmDs::begin_from_alone() {
  constexpr double kLoose = 1.05 * 1.05;
  const AloneFit alone = fit_alone(problem_, {noise_strength_}, &images_);
  alone_seconds_ += alone.seconds;
  const std::size_t slices = problem_.slices();
  std::size_t number = 0;
  for (const std::size_t v : variables_with(true)) {
    for (std::size_t z = 0; z < slices; ++z, ++number) {
      const double square = alone.squares[v * slices + z];
      noise_.set_bounds(number, {square, kLoose * std::max(noise_.level(number), square)});
    }
  }
  finish_uncoupled();
  if (!xrt_noise_.on()) return;
  for (std::size_t z = 0; z < slices; ++z) {
    const double square = alone.squares[problem_.transmission() * slices + z];
    const double level = xrt_noise_.level(z);
    const double goal = square < level ? std::cbrt(square * square * level) : kLoose * square;
    xrt_noise_.set_bounds(z, {goal, goal});
  }
  xrt_.set_smooth(problem_, alone.transmission);
}

// Gives each member that is not coupled the image of its site alone, now in images_: nothing is
// left to find for it, and the others do not wait for it.
void FirmDs::finish_uncoupled() {
  const std::size_t slices = problem_.slices();
  if (prior_ || std::ranges::none_of(members_, uncoupled)) return;
  std::size_t number = 0;
  for (const Member& m : members_) {
    for (std::size_t z = 0; z < slices; ++z, ++number) {
      if (uncoupled(m)) {
        noise_.finish(number);
        nnls_.hold(number);
        continue;
      }
      for (std::size_t p = 0; p < images_.rows(); ++p) {
        images_(p, m.variable * slices + z) = nnls_.images()(p, number);
      }
    }
  }
  nnls_.set_images(images_, member_columns());
}

int FirmDs::next_steps() const {
  constexpr int kPart = 8;
  if (local_steps_ > 0) return local_steps_;
  return std::max(1, static_cast<int>((iterations_ - stage_start_) / kPart));
}

// Gives XRT its own weight once the other sites are done: then the sum of their images is fitted to
// XRT, which they have followed only as far as their noise allows.
void FirmDs::begin_second_stage() {
  second_stage_ = true;
  stage_start_ = static_cast<int>(iterations_);
  xrt_noise_.restart(iterations_);
  xrt_.use_smooth(true);
  // The sum of this round is of the first stage.
  use_coupling_weight(xrt_weight_);
  if (members_.empty()) return;
  keep_own_products();
  for (std::size_t c = 0; c < members_.size() * problem_.slices(); ++c) {
    if (!uncoupled(members_[c / problem_.slices()])) nnls_.release(c);
  }
  hold_strayed();
  nnls_.restart();
}

// Returns to the first stage, after the problem has changed.
void FirmDs::end_second_stage() {
  second_stage_ = first_stage_done_ = false;
  stage_start_ = 0;
  xrt_.use_smooth(false);
  use_coupling_weight(first_weight_);
}

void FirmDs::use_coupling_weight(double weight) {
  coupling_weight_ = weight;
  if (members_.empty()) return;
  nnls_.set_alpha(shared_term_, shared_alpha());
  nnls_.set_steps(step_factor_);
}

// Copies A_i w_i of members with data, which come first where one term serves both.
void FirmDs::keep_own_products() {
  const Sinograms& products = nnls_.product(fused_ ? shared_term_ : own_term_);
  for (std::size_t g = 0; g < own_products_.size(); ++g) {
    Block& kept = own_products_[g];
    for (std::size_t ray = 0; ray < kept.rows(); ++ray) {
      for (std::size_t c = 0; c < kept.columns(); ++c) kept(ray, c) = products[g](ray, c);
    }
  }
  fill_own_target();
}

// Holds members that the second stage has led away from their own data: pixels that are too coarse
// for the object spoil the sum of the images, too.
void FirmDs::hold_strayed() {
  const std::size_t slices = problem_.slices();
  std::size_t number = 0;
  for (const std::size_t v : variables_with(true)) {
    for (std::size_t z = 0; z < slices; ++z, ++number) {
      if (!noise_.within(number, squares_[v * slices + z])) nnls_.hold(number);
    }
  }
}

// The image of XRT is known only at the end: its pixels count as half of the rays, or more.
void FirmDs::judge_xrt() {
  if (!second_stage_ || !xrt_noise_.due(iterations_)) return;
  xrt_noise_.look(
      iterations_, squares_,
      std::vector<std::size_t>(problem_.slices(), problem_.study().xrt().geometry.rays()));
}

// Starts with images and duals of 0, which belong together; the images so far tell only how large
// values are.
void FirmDs::start_primal_dual() {
  Block w = nnls_.images();
  std::vector<double> largest(w.columns(), 0.0);
  for (std::size_t k = 0; k < w.size(); ++k) {
    double& most = largest[k % w.columns()];
    most = std::max(most, static_cast<double>(w.data()[k]));
  }
  primal_dual_->prepare(tv_weights_, largest);
  std::ranges::fill(w.values(), 0.0f);
  nnls_.replace_images(std::move(w), *primal_dual_);
  std::ranges::fill(message_.values(), 0.0f);
  fill_shared_target();
  take_primal_dual_steps(next_steps());
}

// The images go back to Nnls, which has their products, and the dual to the prior, which judges
// them.
void FirmDs::take_primal_dual_steps(int steps) {
  std::vector<const Sinograms*> targets;
  if (!fused_) targets.push_back(&nnls_.target(own_term_));
  targets.push_back(&nnls_.target(shared_term_));
  Block w = nnls_.images();
  primal_dual_->run(steps, targets, w);
  nnls_.replace_images(std::move(w), *primal_dual_);
  iterations_ += steps;
}

void FirmDs::take_local_steps(int steps) {
  if (primal_dual_) return take_primal_dual_steps(steps);
  for (int m = 0; m < steps; ++m) {
    nnls_.step();
    ++iterations_;
    if (second_stage_ || !noise_.due(iterations_)) continue;
    measure_own_residuals();
    hold_finished(noise_, true);
  }
  nnls_.finish_steps();
}

// Holds members that are fitted to their noise. Members with data come first, in order.
void FirmDs::hold_finished(NoiseStop& stop, bool data) {
  const std::size_t first = data ? 0 : variables_with(true).size() * problem_.slices();
  const std::vector<std::size_t> all = nnls_.pixels_above_zero();
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t count = variables_with(data).size() * problem_.slices();
  stop.look(iterations_, squares_, {from, from + static_cast<std::ptrdiff_t>(count)});
  for (std::size_t n = 0; n < count; ++n) {
    if (stop.done(n)) nnls_.hold(first + n);
  }
}

void FirmDs::count_unmet_columns() {
  if (by_noise_) {
    std::size_t open = second_stage_ ? xrt_noise_.open() : noise_.open() + other_noise_.open();
    // The second stage may take three times as many steps as the first.
    if (second_stage_ && iterations_ >= 4L * stage_start_) open = 0;
    scalars.unmet = static_cast<double>(open);
    return;
  }
  const std::size_t slices = problem_.slices();
  for (std::size_t c = 0; c < members_.size() * slices; ++c) {
    const Member& m = members_[c / slices];
    const std::size_t column = m.variable * slices + c % slices;
    const bool met = std::sqrt(squares_[column]) <= levels_[column];
    if (m.weight > 0 && !met) scalars.unmet += 1;
    if (uncoupled(m) && met && levels_[column] > 0) nnls_.hold(c);  // as alone
  }
}

}  // namespace firm
