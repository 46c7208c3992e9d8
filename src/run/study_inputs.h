// Options and resolved study from a study file and a command line, for `firm recon`, `firm site`
// and `firm coordinator`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firm/options.h"
#include "firm/study.h"
#include "io/study/study_file.h"

namespace firm {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

// Applies the [solve] table of `file`, which was read from `path`, then the command line's
// settings.
SolveOptions options_of(const StudyFile& file, const std::string& path, const KeyValues& settings);

// Does so for a federation; throws firm::Error (kUsage) for options that only `firm recon`
// supports.
SolveOptions federation_options_of(const StudyFile& file, const std::string& path,
                                   const KeyValues& settings);

// Returns the truth file of the command line, else of the study; empty: none.
std::string truth_path(const StudyFile& file, const std::string& study_path,
                       const std::string& given);

// Makes the file names of a study that was read at `study_path` relative to another directory. The
// names of data that is in memory stay.
void relocate_study(const std::string& study_path, const std::string& directory, StudyFile& file);

// Returns the study with every option and default written out, and file names relative to the run
// in `out`. `sites`: the sites whose geometry is known here.
struct ResolvedFrom {
  std::string study_path;
  std::string out;
  std::string truth;  // from the command line
};
StudyFile resolved_study(StudyFile file, const ResolvedFrom& from, const std::vector<Site>& sites,
                         const SolveOptions& options);

}  // namespace firm
