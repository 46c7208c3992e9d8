// What the machine has to give: time, memory, room on its disks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "federation/pki/pki.h"

namespace firm {

struct Machine {
  Instant now;
  std::uint64_t memory = 0;  // bytes that a process can still get
  std::function<std::uint64_t(const std::string& directory)> free_disk;
};

// This one.
Machine this_machine();

}  // namespace firm
