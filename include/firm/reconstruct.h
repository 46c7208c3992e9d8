// From measurements to images: the whole of FIRM in two calls.
//
//     firm::Study study = firm::load_study("study.toml");
//     firm::Solution solution = firm::reconstruct(study);
//
// Nothing is written to disk. Both throw firm::Error, which names the file or site, the field, what
// was expected and what was found. docs/cpp.md has whole programs.
#pragma once

#include <string>

#include "firm/observer.h"
#include "firm/options.h"
#include "firm/solution.h"
#include "firm/study.h"

namespace firm {

// Reads study.toml and its data files, all slices, and estimates what the study leaves open
// (rotation_axis = "auto", sigma = "estimate" or "counts").
Study load_study(const std::string& path);

// The options in the [solve] table of a study file; defaults for those it does not name.
SolveOptions load_options(const std::string& path);

// Solves a study that has the data of all its sites. The same study and options give the same bytes
// whatever the number of threads.
Solution reconstruct(const Study& study, const SolveOptions& options = {},
                     const Observer& observer = {});

}  // namespace firm
