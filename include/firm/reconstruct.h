// From measurements to images: the whole of FIRM in two calls.
//
//     firm::Study study = firm::load_study("study.toml");
//     firm::Solution solution = firm::reconstruct(study);
//
// Neither call writes to disk. Both throw firm::Error, which names the file or site, the field, the
// expected and the found value. docs/cpp.md has complete programs.
#pragma once

#include <string>

#include "firm/observer.h"
#include "firm/options.h"
#include "firm/solution.h"
#include "firm/study.h"

namespace firm {

// Reads study.toml and all slices of its data files, and estimates the values that the study leaves
// open (rotation_axis = "auto", sigma = "estimate" or "counts").
Study load_study(const std::string& path);

// Reads the options in the [solve] table of a study file; the others keep their defaults.
SolveOptions load_options(const std::string& path);

// Solves a study that has the data of all its sites. The result is bit-identical for any number of
// threads.
Solution reconstruct(const Study& study, const SolveOptions& options = {},
                     const Observer& observer = {});

}  // namespace firm
