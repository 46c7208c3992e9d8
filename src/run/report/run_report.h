// Writes report.html, a page that shows a run, from the files in its directory. docs/report.md
// describes the page and its document.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/problem.h"
#include "prep/study_data.h"

namespace firm {

struct ReportRequest {
  // One run directory, or those of all sites of one federation.
  std::vector<std::string> runs;
  // Directory of a run that solved every site alone, to compare with; optional.
  std::string alone = {};
  // Content of summary.json for a run that has not written it yet; empty: read the file.
  std::string summary = {};
  // One of these holds the measurements: a problem, or data files that are open. Both null: read
  // the files that study.toml names, and check that their data has not changed.
  const Problem* problem = nullptr;
  StudyData* data = nullptr;
};

// The document of the report, as JSON. Throws firm::Error when a directory holds no finished run.
std::string report_document(const ReportRequest& request);

// Upper limit of the memory, in bytes, for making a report of this many float32 values.
std::uint64_t memory_for_report(std::uint64_t image_values, std::uint64_t sinogram_values);

// Upper limit of the memory for the self-absorption of one site.
std::uint64_t memory_for_report(const Geometry& geometry, int absorption_grid);

// Writes the page.
void write_report(const std::string& path, const ReportRequest& request);

}  // namespace firm
