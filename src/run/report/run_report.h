// report.html: a run on one page, from what is in its directory. docs/report.md tells what it shows
// and what its document consists of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/problem.h"

namespace firm {

struct ReportRequest {
  // A run directory; or those of the sites of one federation, for who may see all of them.
  std::vector<std::string> runs;
  // Directory of a run that solved every site alone, to compare with; may be empty.
  std::string alone = {};
  // summary.json of a run that is about to write it; empty: the file is there.
  std::string summary = {};
  // Where the measurements are; without: in the files that study.toml names, if they are there and
  // have not changed.
  const Problem* problem = nullptr;
};

// The document, JSON. Throws firm::Error when a directory holds no run that has come to its end.
std::string report_document(const ReportRequest& request);

// Memory that a report of so many values takes while it is made, at most; float32 in the files.
std::uint64_t memory_for_report(std::uint64_t image_values, std::uint64_t sinogram_values);

// The page.
void write_report(const std::string& path, const ReportRequest& request);

}  // namespace firm
