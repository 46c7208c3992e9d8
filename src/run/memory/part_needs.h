// Memory of a run in parts, before it is made.
#pragma once

#include <cstdint>
#include <vector>

#include "io/study/study_file.h"
#include "model/study.h"
#include "run/shard/parts.h"
#include "solve/options.h"

namespace firm {

// Of a process with these parts, when it is fullest: while it reads all slices of a site of which
// it keeps some, while it solves its parts side by side, or, as the first one, while it puts the
// images of all together.
std::uint64_t memory_for_parts(const SolveOptions& options, const StudyFile& file,
                               const Study& study, const std::vector<Part>& parts, bool first);

// Throws firm::Error (kData) when the processes on a machine need more than it has.
void require_memory(std::uint64_t needed, std::uint64_t available, const Study& study,
                    const SolveOptions& options);

}  // namespace firm
