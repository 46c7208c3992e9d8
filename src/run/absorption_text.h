// Lines about self-absorption, for people.
#pragma once

#include <string>

#include "firm/solution.h"

namespace firm {

// "self-absorption, round 2: masses Fe 1.23e-06 g, Zn 4.56e-07 g". For a shard without an XRF site,
// which knows no mass: "self-absorption, round 2".
std::string absorption_round_text(const AbsorptionSummary& round);

// "Fe 45 %, Zn 52 %": the part of the fluorescence that reaches the detector.
std::string kept_text(const AbsorptionSummary& absorption);

}  // namespace firm
