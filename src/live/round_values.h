// Values of a round that a dashboard shows as curves.
#pragma once

#include <string>
#include <vector>

#include "firm/solution.h"
#include "report/page/run_curves.h"

namespace firm {

// Curves of a run whose images have these names, as in history.jsonl.
std::vector<CurveName> round_curves(const std::vector<std::string>& names);
// Their values after a round, in the same order; NaN if unknown. `line` is the round's line of
// history.jsonl, which has the fit of each site if its noise is known.
std::vector<double> round_values(const RoundRecord& round, const std::string& line,
                                 const std::vector<std::string>& names);

}  // namespace firm
