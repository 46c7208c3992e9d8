#include "solve/methods/alone.h"

#include "solve/methods/pgd.h"

namespace firm {

AloneFit fit_alone(Problem& problem, const AloneOptions& given, Block* images) {
  SolveOptions options;
  options.stop.noise = given.strength;
  LocalCollective nobody;
  const double before = problem.operators().seconds();
  Pgd pgd({problem, options, nobody});
  AloneFit fit;
  pgd.share();
  for (long step = 0; step < given.steps && pgd.scalars.unmet > 0; ++step) {
    fit.interrupted = given.interrupted && given.interrupted();
    if (fit.interrupted) break;
    pgd.update();
    pgd.share();
  }
  if (images != nullptr) *images = pgd.images();
  fit.squares = pgd.residuals();
  const std::size_t xrt = problem.transmission();
  if (xrt < problem.variables().size()) {
    fit.transmission = Block(problem.variables()[xrt].geometry.rays(), problem.slices());
    problem.operators().get(pgd.products(), xrt, fit.transmission);
  }
  fit.seconds = problem.operators().seconds() - before;
  return fit;
}

Footprint alone_footprint(const HostedSize& size) {
  Footprint held = Pgd::footprint({}, size).held;
  held.rays += size.xrt_rays;  // AloneFit::transmission
  return held;
}

}  // namespace firm
