// From a study file and a command line to options and the study as it is used: what `firm recon`,
// `firm site` and `firm coordinator` have in common.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firm/options.h"
#include "firm/study.h"
#include "io/study/study_file.h"

namespace firm {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

// [solve] of `file`, which was read from `path`, then the command line's settings.
SolveOptions options_of(const StudyFile& file, const std::string& path, const KeyValues& settings);

// The same for a federation; throws firm::Error (kUsage) for what only `firm recon` can do.
SolveOptions federation_options_of(const StudyFile& file, const std::string& path,
                                   const KeyValues& settings);

// The truth that the command line names, else the study's; empty when there is none.
std::string truth_path(const StudyFile& file, const std::string& study_path,
                       const std::string& given);

// The study with every option and default written out, and file names relative to the run in `out`.
// `sites`: those whose geometry is known here.
struct ResolvedFrom {
  std::string study_path;
  std::string out;
  std::string truth;  // of the command line
};
StudyFile resolved_study(StudyFile file, const ResolvedFrom& from, const std::vector<Site>& sites,
                         const SolveOptions& options);

}  // namespace firm
