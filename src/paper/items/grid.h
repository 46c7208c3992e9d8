// The grid of the multimodality experiment: angle counts x noise levels x step scales x samples.
#pragma once

#include <vector>

#include "paper/plan.h"
#include "paper/results.h"

namespace firm::paper {

// Statistics of the samples of a cell.
struct Spread {
  double mean = 0;
  double low = 0;   // 20th percentile
  double high = 0;  // 80th percentile
  double least = 0;
};

Spread spread_of(std::vector<double> values);

struct Cell {
  int angles = 0;
  double s = 0;
  double gamma = 1;
  int samples = 0;
  Spread joint = {};  // ||w - w_true|| of the joint problem, solved by FIRM
  Spread alone = {};  // ||w - w_true|| of each site alone (IIR), solved by PGD
  Spread gap = {};    // eq. rel_gap, in percent
  double joint_rounds = 0;
  double alone_rounds = 0;
};

struct Grid {
  std::vector<int> angles;
  std::vector<double> noise;
  std::vector<double> gammas;
  std::vector<Cell> by_step;    // s = 0, one per angle count: PGD stops at a small step
  std::vector<Cell> by_rounds;  // s = 0: PGD runs as many rounds as FIRM
  std::vector<Cell> noisy;      // s > 0: both stop by the paper's discrepancy rule
  std::vector<Cell> at_noise;   // s > 0, gamma = 1: both stop at the level of the noise

  const Cell& cell(int angle_count, double s, double gamma) const;  // s > 0
  double largest_distance() const;
};

// Mean gap of the cells with this s and gamma, over the angle counts.
double mean_gap(const std::vector<Cell>& cells, double s, double gamma);

std::vector<Trial> grid_trials(const Plan& plan);
Grid grid_of(const Plan& plan, const Results& results);

}  // namespace firm::paper
