// From a study file to a run directory, on one machine: what `firm recon` does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/run_callbacks.h"
#include "run/store/run_directory.h"
#include "run/study_inputs.h"
#include "solve/solver.h"

namespace firm {

struct ReconArguments {
  std::string study;  // file
  std::string out;    // run directory
  RunDirectory::Start start = RunDirectory::Start::kNew;
  std::string truth;   // file; empty: the study's, if it names one
  KeyValues settings;  // of the command line, in order
  // Bytes that the run may take: where all slices need more they are solved in chunks, one after
  // another. Without: what the machine has, and all slices at once.
  std::optional<std::uint64_t> max_memory = {};
};

struct ReconResult {
  Summary summary;                 // of a run that was interrupted: of the chunk in progress
  std::vector<std::string> files;  // what was written, for people
  // Of several chunks, those that are done, where not all are: there are no images yet.
  std::optional<std::size_t> chunks_done = {};
};

// Those of study and command line; a run that is resumed keeps its own, all of them in its
// study.toml.
SolveOptions recon_options(const StudyFile& file, const ReconArguments& arguments);

// Throws firm::Error. A run that ends before converging, or is interrupted, leaves a checkpoint; in
// several chunks one for each of these, and what is done of the others.
ReconResult reconstruct(const ReconArguments& arguments, const RunCallbacks& callbacks = {});

}  // namespace firm
