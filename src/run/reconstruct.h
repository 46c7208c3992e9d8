// From a study file to a run directory: what `firm recon` does, in one process or in several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "federation/transport/processes.h"
#include "firm/error.h"
#include "firm/solution.h"
#include "run/run_callbacks.h"
#include "run/store/run_directory.h"
#include "run/study_inputs.h"

namespace firm {

struct ReconArguments {
  std::string study;  // file
  std::string out;    // run directory
  RunDirectory::Start start = RunDirectory::Start::kNew;
  std::string truth = {};   // file; empty: the study's, if it names one
  KeyValues settings = {};  // of the command line, in order
  // Bytes that the run may take: where all slices need more they are solved in chunks, one after
  // another. Default: all that the machine has, and all slices at once.
  std::optional<std::uint64_t> max_memory = {};
  // Solves every site by itself, with sums in fixed point as in a federation: the images are those
  // of coordinator and sites, to the bit, whatever the number of processes.
  bool separate = false;
};

struct ReconResult {
  Summary summary;                      // of an interrupted run: of the chunk in progress
  std::vector<std::string> files = {};  // the files written, for people
  // Of several chunks, the number that is finished, when not all are: there are no images yet.
  std::optional<std::size_t> chunks_done = {};
};

// The options of study and command line. A resumed run keeps its own, which are all in its
// study.toml; the command line may change those that only decide when to stop.
SolveOptions recon_options(const StudyFile& file, const ReconArguments& arguments);

// Called by all processes; several need `separate`. Throws firm::Error; an error in the input is
// thrown by one process, and NotThisProcess by the others. Process 0 writes the files. A run that
// ends before converging, or is interrupted or killed, can be resumed.
ReconResult reconstruct_to_directory(const ReconArguments& arguments, const RunCallbacks& callbacks,
                                     Processes& processes);
// In this process alone.
ReconResult reconstruct_to_directory(const ReconArguments& arguments,
                                     const RunCallbacks& callbacks = {});

// Another process has found an error, and reports it.
class NotThisProcess : public Error {
 public:
  explicit NotThisProcess(Kind kind) : Error(kind, "") {}
};

}  // namespace firm
