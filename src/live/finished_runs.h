// Runs that have ended, for a page: what `firm view` shows.
#pragma once

#include <string>
#include <vector>

namespace firm {

// JSON: the document of one run, or a comparison of several. Throws firm::Error when a directory
// holds no run that has come to its end.
std::string finished_runs(const std::vector<std::string>& directories);

}  // namespace firm
