// Images for the first T of self-absorption.
//
// Without correction, elements deep inside look too weak, so T made from their images is too large,
// and strong absorption is never found. XRT is not affected: it tells how much matter there is. So
// all elements are scaled, pixel by pixel, by
//
//     (image of XRT alone) / sum_i c_i w_i ,      at most 20.
#pragma once

#include "firm/block.h"
#include "model/collective.h"
#include "model/problem.h"

namespace firm {

// Reconstructs XRT by itself: pixels x slices. The process must host it.
Block xrt_alone(Problem& problem);

// The image of XRT alone, at all sites: its site publishes it.
Block publish_xrt(Problem& problem, Collective& collective);

// The factors, at all sites. Only the site of XRT opens sum_i c_i w_i; it publishes the factors.
// `images`: the hosted ones.
Block start_factors(Problem& problem, const Block& images, Collective& collective);

}  // namespace firm
