// NoiseStop: finds the step after which a column would be fitted to its noise.
//
// Gradient steps fit the object first and the noise later, so an image is best in between. Let k
// count steps, r = ||A w - b||, m the rays of the column and P its pixels above 0. Per e-fold of
// steps the residual falls by
//
//     rate = - d ln r^2 / d ln k             over the last factor of 1.5 in k.
//
// Noise has m degrees of freedom, and an image of P pixels takes up at most P of them, a few in
// each e-fold. A column is done when its residual falls no faster than that,
//
//     rate <= strength min(P, m / 2) / m ,
//
// and either r <= sigma sqrt(m), or the rate is below half of its peak: a residual that begins to
// fall slowly is not done. So a column ends even if pixels are too coarse, or sigma too small, for
// r to reach the noise, and after 3000 steps in any case. docs/method.md shows how close this comes
// to the best step.
//
// A caller that knows where the residual should end sets bounds: a column is done at the lower one,
// and never above the upper one.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "core/archive.h"
#include "model/problem.h"

namespace firm {

// Hosted variables that have data.
std::vector<std::size_t> measured_variables(const Problem& problem);

class NoiseStop {
 public:
  // Watches the columns of some hosted variables, in this order: variables[v] and slice z are
  // number v * slices + z. strength = 0: never done.
  NoiseStop(const Problem& problem, std::vector<std::size_t> variables, double strength);

  bool on() const { return strength_ > 0 && !done_.empty(); }
  // Returns true if look() should be called after so many steps: after each at first, then
  // in steps of a twentieth.
  bool due(long step) const { return on() && static_cast<double>(step - origin_) >= next_; }
  // Takes the state after `step` steps: r^2 of each hosted column of the problem, and P of each
  // watched column.
  void look(long step, const std::vector<double>& squares, const std::vector<std::size_t>& pixels);

  // Bounds of r^2 of a column.
  struct Bounds {
    double least = 0;
    double most = std::numeric_limits<double>::infinity();
  };
  void set_bounds(std::size_t number, const Bounds& bounds);
  // Whether r^2 is at most the upper bound.
  bool within(std::size_t number, double square) const { return square <= most_[number]; }
  // sigma^2 m of a column.
  double level(std::size_t number) const { return level_[number]; }

  // Declares a column done.
  void finish(std::size_t number) { done_[number] = true; }
  bool done(std::size_t number) const { return done_[number]; }
  // Number of columns that are not done.
  std::size_t open() const;
  // Starts again after `step` steps, because the problem has changed.
  void restart(long step = 0);
  void archive(Archive& archive, const std::string& name);

 private:
  // Residuals at one look.
  struct Mark {
    double step = 0;  // 0: empty
    std::vector<double> logs;
  };

  bool finished(std::size_t number, double square, double rate, double pixels) const;

  double strength_;                   // 0: off
  std::vector<std::size_t> columns_;  // of the problem
  std::vector<double> rays_;          // m of each watched column
  std::vector<double> level_;         // sigma^2 m
  std::vector<double> least_;         // bounds of r^2
  std::vector<double> most_;
  std::vector<Mark> marks_;   // the last looks, the newest first
  std::vector<double> peak_;  // largest rate so far
  std::vector<bool> done_;
  double next_ = 1;  // step of the next look, after origin_
  int origin_ = 0;
};

}  // namespace firm
