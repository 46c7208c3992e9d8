#include "firm/refinement.h"

#include <cmath>

namespace firm {

double RefinedScan::uncertainty() const {
  double sum = 0;
  for (const double u : uncertainties) sum += u * u;
  return uncertainties.empty() ? 0 : std::sqrt(sum / static_cast<double>(uncertainties.size()));
}

}  // namespace firm
