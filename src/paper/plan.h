// Plan: the settings of the paper's experiments, and a smaller plan that takes a minute or two.
#pragma once

#include <string>
#include <vector>

#include "paper/trial.h"

namespace firm::paper {

struct Plan {
  bool quick = false;
  int angles = 25;                                   // of the study that compares the methods
  std::vector<double> noise = {0, 0.01, 0.05, 0.1};  // s
  int hold = 10000;                                  // FIRM's rounds at r = 1
  double target = 3.15e-8;                           // objective that FIRM reaches without noise
  std::vector<double> ratios = {0.9, 0.99, 0.999};
  int general_rounds = 5;  // timed rounds of FedPGD with the general solver

  std::vector<int> grid_angles = {25, 50, 75, 100, 125, 150, 175};
  std::vector<double> gammas = {0.02, 0.05, 0.1, 1};
  int samples = 0;  // per cell of the grid; 0: see samples_of
  std::vector<int> plsqr_angles = {25, 50, 75, 100};

  std::vector<int> prior_angles = {10, 25};
  int prior_samples = 3;

  int absorption_size = 96;
  int absorption_angles = 90;

  // Number of samples of a cell. Small gammas get fewer: their runs take 1 / gamma times as many
  // rounds, and the spread of the samples is small. Ten everywhere would take about three times as
  // long.
  int samples_of(double gamma) const;

  // A trial of the paper's study with noise level s.
  Trial trial(const std::string& method, double s) const;
  // A trial of FIRM that ends by the paper's step rule.
  Trial firm(double s) const;
  // Approximate number of rounds of that trial.
  int firm_rounds() const { return hold + 133; }
};

Plan full_plan();
Plan quick_plan();

// Makes the trial end after this number of rounds, and by no other rule.
Trial for_rounds(Trial trial, int rounds);

// Adds the discrepancy rule for the trial's noise, and an estimate of the rounds it takes.
Trial until_discrepancy(Trial trial, double gamma = 1);

}  // namespace firm::paper
