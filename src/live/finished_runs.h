// Runs that have ended, for a page: what `firm view` shows.
#pragma once

#include <string>
#include <vector>

namespace firm {

// The document of the page that a run has left in its directory; empty: it has not come to its end,
// or left none.
std::string document_in(const std::string& directory);

// JSON: the document of one run, or a comparison of several. Throws firm::Error when a directory
// holds no run that has come to its end.
std::string finished_runs(const std::vector<std::string>& directories);

}  // namespace firm
