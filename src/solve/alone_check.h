// Compares the joint images with those of each site alone.
//
// A site whose data or scale is wrong spoils the images of all: the sums that sites follow contain
// its share. A site cannot see the others' data, but it can see that the joint image misses its own
// data by more than the noise, while an image made from its own data alone does not. The difference
// is what the others have brought in: SiteSummary::others_share.
#pragma once

#include <functional>

#include "firm/solution.h"
#include "model/problem.h"

namespace firm {

// Sets residual_alone of coupled sites that are fitted worse than their noise allows, if the images
// are final; a good run costs nothing. Fits all hosted sites alone for it, by steps of pgd that end
// at the noise. Takes at most as many steps as the run has taken, or 200.
// Exchanges nothing. `interrupted` may be empty; it ends the comparison without a result.
// An InterruptionScope ends it by an exception.
void compare_with_alone(Problem& problem, const std::function<bool()>& interrupted,
                        Summary& summary);

}  // namespace firm
