// Machine: the clock, memory and disk space that preflight checks see; tests replace it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "federation/pki/certificates.h"

namespace firm {

struct Machine {
  Instant now;
  std::uint64_t memory = 0;  // bytes still available to a process
  std::function<std::uint64_t(const std::string& directory)> free_disk;
};

// The machine that this process runs on.
Machine this_machine();

}  // namespace firm
