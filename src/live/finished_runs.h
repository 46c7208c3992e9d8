// Documents of finished runs, which `firm view` shows.
#pragma once

#include <string>
#include <vector>

namespace firm {

// The document in the report.html of a finished run; empty if the run has not finished or wrote no
// report.
std::string saved_document(const std::string& directory);

// The document of one run, or a comparison of several, as JSON. Throws firm::Error when a directory
// holds no finished run.
std::string finished_runs_document(const std::vector<std::string>& directories);

}  // namespace firm
