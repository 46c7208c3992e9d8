// An inspection as JSON, with the memory that a reconstruction of the data needs.
#pragma once

#include <string>

#include "io/inspect/inspect.h"
#include "run/memory/memory_estimate.h"

namespace firm {

// Memory of `firm recon` for this site and an XRT site like it, on beamlets x beamlets pixels.
MemoryEstimate memory_for(const Inspection& inspection);

std::string inspection_json(const Inspection& inspection);

}  // namespace firm
