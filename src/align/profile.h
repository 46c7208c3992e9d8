// The minimum of a misfit over trial values of one number, with an uncertainty.
//
// Neighbouring angles share systematic errors, so the uncertainty is the variation of the minimum
// when blocks of contiguous angles are left out (jackknife).
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "firm/refinement.h"

namespace firm {

inline constexpr std::size_t kBlocks = 8;  // of angles

// First and last (excluded) angle of a block; blocks are as long as each other, within one.
std::pair<std::size_t, std::size_t> block_of(std::size_t block, std::size_t angles);

// Standard deviation of a number, from its values with one block left out each.
double jackknife(const std::vector<double>& without_block);

class Profile {
 public:
  // `misfits`: one for each block. Trials may come in any order.
  void add(double value, std::vector<double> misfits);

  // Position of the minimum, by a parabola through the best trial and its neighbours. The
  // uncertainty is the jackknife's, or half the distance to the farthest trial that is not worse by
  // two standard deviations, if that is larger.
  Found minimum() const;
  // -1 if the best trial is the smallest value, 1 if it is the largest, else 0.
  int edge() const;
  // Vertex of the parabola that fits the trials within `reach` of the best one, for a misfit whose
  // single values scatter; none if it does not lie between them. The uncertainty covers jackknife
  // and scatter.
  std::optional<Found> vertex(double reach) const;
  // How much lower the misfit is at the best trial than at `value`, which must be a trial, in
  // standard deviations of the difference between blocks.
  double significance(double value) const;

 private:
  struct Trial {
    double value;
    std::vector<double> misfits;
  };
  // Sum of the misfits of a trial without a block; kBlocks: with all.
  static double total(const Trial& trial, std::size_t without);
  double minimum_without(std::size_t block) const;
  std::optional<Found> vertex() const;
  std::optional<double> vertex_without(std::size_t block) const;
  std::size_t best(std::size_t without) const;

  std::vector<Trial> trials_;  // by value
};

}  // namespace firm
