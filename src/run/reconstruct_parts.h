// From a study file to a run directory, part by part: what `firm recon --separate` does in one
// process, and `firm recon --mpi` in several.
//
// Every site is solved by itself, and sums are taken in fixed point, as in a federation: the images
// are those of coordinator and sites, to the bit, whatever the number of processes.
#pragma once

#include "federation/transport/processes.h"
#include "firm/error.h"
#include "run/reconstruct.h"

namespace firm {

// Called by all processes. Throws firm::Error; what is wrong with the input is thrown by one
// process, and NotThisProcess by the others. Files are those of process 0 alone.
ReconResult reconstruct_parts(const ReconArguments& arguments, const RunCallbacks& callbacks,
                              Processes& processes);

// Another process has found something wrong, and tells so.
class NotThisProcess : public Error {
 public:
  explicit NotThisProcess(Kind kind) : Error(kind, "") {}
};

}  // namespace firm
