// Converts a Summary to JSON and back, every field, for results of shards on disk and between
// processes. (summary.json, which people read, is run/store/run_json.h.)
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "firm/solution.h"

namespace firm {

nlohmann::json summary_to_json(const Summary& summary);
// Throws nlohmann::json::exception if `json` has another form.
Summary summary_from_json(const nlohmann::json& json);

}  // namespace firm
