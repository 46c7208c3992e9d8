#include "solve/methods/alone.h"

#include "solve/methods/pgd.h"

namespace firm {

AloneFit fit_alone(Problem& problem, double strength, Block& images) {
  SolveOptions options;
  options.stop.noise = strength;
  LocalCollective nobody;
  const double before = problem.operators().seconds();
  Pgd pgd({problem, options, nobody});
  for (pgd.share(); pgd.scalars.unmet > 0; pgd.share()) pgd.update();
  images = pgd.images();
  AloneFit fit{pgd.residuals(), {}, 0};
  const std::size_t xrt = problem.transmission();
  if (xrt < problem.variables().size()) {
    fit.transmission = Block(problem.variables()[xrt].geometry.rays(), problem.slices());
    problem.operators().get(pgd.products(), xrt, fit.transmission);
  }
  fit.seconds = problem.operators().seconds() - before;
  return fit;
}

}  // namespace firm
