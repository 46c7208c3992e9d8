// `refined` of summary.json, and lines about it for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "firm/refinement.h"

namespace firm {

// {scans: {NAME: {shifts, uncertainty, ...}}, sites: {NAME: {axis, axis_uncertainty, ...}}}; only
// what was refined.
nlohmann::ordered_json refined_json(const Refinement& refinement);

// What was found and what was not, for the terminal.
std::vector<std::string> refinement_lines(const Refinement& refinement);

}  // namespace firm
