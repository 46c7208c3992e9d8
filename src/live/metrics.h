// Metrics of a run for Prometheus. docs/dashboard.md lists their names.
#pragma once

#include <string>
#include <vector>

#include "live/live_run.h"
#include "live/live_status.h"

namespace firm {

// Returns the metrics in Prometheus' text format. `last_values` are those of the last round, empty
// before the first.
std::string metrics_text(const LiveFacts& facts, const LiveStatus& status,
                         const std::vector<double>& last_values);

}  // namespace firm
