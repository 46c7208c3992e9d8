// Numbers of a run for Prometheus. docs/dashboard.md lists their names.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "live/live_run.h"
#include "live/live_status.h"

namespace firm {

// In Prometheus' text format. `line`: the last one of the history; empty before there is one.
std::string metrics_text(const LiveFacts& facts, const LiveStatus& status,
                         const nlohmann::ordered_json& line);

}  // namespace firm
