// Numbers of a run for Prometheus. docs/dashboard.md lists their names.
#pragma once

#include <string>
#include <vector>

#include "live/live_run.h"
#include "live/live_status.h"

namespace firm {

// In Prometheus' text format. `last`: values of the last round; empty before there is one.
std::string metrics_text(const LiveFacts& facts, const LiveStatus& status,
                         const std::vector<double>& last);

}  // namespace firm
