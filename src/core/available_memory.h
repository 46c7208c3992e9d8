// How much memory this process can still get.
#pragma once

#include <cstdint>

namespace firm {

// What the system has, or what the control group leaves, as under Slurm or systemd, whichever is
// less.
std::uint64_t available_memory();

}  // namespace firm
