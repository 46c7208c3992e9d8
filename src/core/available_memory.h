// Memory that this process can still get.
#pragma once

#include <cstdint>

namespace firm {

// The smaller of the memory that the system has available and the memory that the process's control
// group (Slurm, systemd) leaves, in bytes.
std::uint64_t available_memory();

}  // namespace firm
