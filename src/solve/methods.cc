#include <cmath>

#include "firm/error.h"
#include "solve/methods/fedpgd.h"
#include "solve/methods/firm.h"
#include "solve/methods/firm_ds.h"
#include "solve/methods/firm_plus.h"
#include "solve/method.h"
#include "solve/methods/pgd.h"
#include "solve/methods/plsqr.h"

namespace firm {

std::vector<double> discrepancy_levels(const Problem& problem, double s) {
  std::vector<double> levels;
  for (std::size_t c = 0; c < problem.columns(); ++c) {
    levels.push_back(problem.largest()[c] * std::sqrt(static_cast<double>(problem.rays()[c])) * s);
  }
  return levels;
}

double full_scale(const Problem& problem, std::size_t variable) {
  const std::vector<double> levels = discrepancy_levels(problem, 1);
  double all = 0;
  for (std::size_t z = 0; z < problem.slices(); ++z) {
    all = std::hypot(all, levels[variable * problem.slices() + z]);
  }
  return all;
}

double count_unmet(const std::vector<double>& squares, const std::vector<double>& levels) {
  double unmet = 0;
  for (std::size_t c = 0; c < squares.size(); ++c) {
    if (std::sqrt(squares[c]) > levels[c]) unmet += 1;
  }
  return unmet;
}

std::unique_ptr<Method> make_method(Problem& problem, const SolveOptions& options,
                                    Collective& collective) {
  if (options.method == "firm") return std::make_unique<Firm>(problem, options);
  if (options.method == "firm+") return std::make_unique<FirmPlus>(problem, options);
  if (options.method == "firm-ds") return std::make_unique<FirmDs>(problem, options, collective);
  if (options.method == "fedpgd") return std::make_unique<FedPgd>(problem, options, collective);
  if (options.method == "pgd") return std::make_unique<Pgd>(problem, options);
  if (options.method == "plsqr") return std::make_unique<Plsqr>(problem, options);
  throw usage_error({"solve", "method", "the name of a method", "'" + options.method + "'"});
}

}  // namespace firm
