// FedPGD as in the paper, with every projection by a general QP solver. Runs a few rounds to
// measure their time.
#pragma once

#include "paper/campaign.h"
#include "paper/plan.h"

namespace firm::paper {

struct GeneralFedPgd {
  std::string solver;
  int rounds = 0;
  double seconds_per_round = 0;  // projections onto W and products with A
  double iterations = 0;         // of the solver, per projection
  double objective = 0;          // after these rounds
  double deviation = 0;          // ||w - P(v)|| of the last projection, with P exact
};

// Whether this program was built with the solver.
bool has_general_fedpgd();

Task general_fedpgd_task(const Plan& plan);
GeneralFedPgd general_fedpgd(const Plan& plan, const Results& results);

}  // namespace firm::paper
