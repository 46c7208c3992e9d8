// Reconstructs a study file into a run directory, in one process or several (`firm recon`).
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
  KeyValues settings = {};  // from the command line, in order
  // Memory limit in bytes: if all slices need more, they are solved in chunks, one after another.
  // Default: all memory of the machine, and all slices at once.
  std::optional<std::uint64_t> max_memory = {};
  // Solves each site as a separate shard, with fixed-point sums as in a federation. The images are
  // bit-identical to those of coordinator and sites, for any number of processes.
  bool separate = false;
  // The study itself, if it is in no file: `study` is then its name in errors.
  std::optional<StudyFile> given = {};
  // Ends set-up when the callbacks say that the user interrupts, not only rounds. In one process
  // alone: those of mpirun stop together.
  bool interrupts_set_up = false;
};

struct ReconResult {
  Summary summary;                      // for an interrupted run: summary of the chunk in progress
  std::vector<std::string> files = {};  // the files written, for people
  std::vector<std::string> warnings = {};  // about the fit of the data
  // Number of finished chunks, if some are unfinished: there are no images yet.
  std::optional<std::size_t> chunks_done = {};
  // Interrupted before anything was written: there is nothing to resume.
  bool nothing_written = false;
};

// Reads the options of study and command line. A resumed run keeps its own options, which are all
// in its study.toml; the command line may change only the stop rules.
SolveOptions recon_options(const StudyFile& file, const ReconArguments& arguments);

// Runs a reconstruction. All processes call it; several processes need `separate`. Throws
// firm::Error; for an error in the input one process throws it, and the others throw
// NotThisProcess. Process 0 writes the files. A run that ends before converging, or is interrupted
// or killed, can be resumed.
ReconResult reconstruct_to_directory(const ReconArguments& arguments, const RunCallbacks& callbacks,
                                     Processes& processes);
// Runs in this process alone.
ReconResult reconstruct_to_directory(const ReconArguments& arguments,
                                     const RunCallbacks& callbacks = {});

// Thrown if another process has found an error, and reports it.
class NotThisProcess : public Error {
 public:
  explicit NotThisProcess(Kind kind) : Error(kind, "") {}
};

}  // namespace firm
