// Plan: the paper's settings, and a smaller set that shows the same in a minute or two.
#pragma once

#include <string>
#include <vector>

#include "paper/trial.h"

namespace firm::paper {

struct Plan {
  bool quick = false;
  int angles = 25;                                   // of the study that methods are compared on
  std::vector<double> noise = {0, 0.01, 0.05, 0.1};  // s
  int hold = 10000;                                  // FIRM's rounds at r = 1
  double target = 3.15e-8;                           // f that FIRM reaches without noise
  std::vector<double> ratios = {0.9, 0.99, 0.999};
  int general_rounds = 5;  // rounds of FedPGD with the general solver that are timed

  std::vector<int> grid_angles = {25, 50, 75, 100, 125, 150, 175};
  std::vector<double> gammas = {0.02, 0.05, 0.1, 1};
  int samples = 0;  // per cell of the grid; 0: as below
  std::vector<int> plsqr_angles = {25, 50, 75, 100};

  // Samples of a cell. A run takes 1 / gamma times as many rounds, and the spread of the samples is
  // small: ten of them everywhere would take, by the number of updates, about three times as long.
  int samples_of(double gamma) const;

  // A trial of the paper's study.
  Trial trial(const std::string& method, double s) const;
  // FIRM with the paper's step rule, which ends the run.
  Trial firm(double s) const;
  // Rounds after which that ends, about.
  int firm_rounds() const { return hold + 133; }
};

Plan full_plan();
Plan quick_plan();

// Ends the trial after so many rounds, and by no other rule.
Trial for_rounds(Trial trial, int rounds);

// Adds the discrepancy rule for the trial's noise, and how many rounds that takes, about.
Trial until_discrepancy(Trial trial, double gamma = 1);

}  // namespace firm::paper
