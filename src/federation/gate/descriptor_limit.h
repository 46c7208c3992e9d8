// The number of descriptors that this process may have open.
#pragma once

#include <cstdint>

namespace firm {

// Raises the limit as far as the system allows, but not beyond 65536; returns it.
std::uint64_t raise_descriptor_limit();

}  // namespace firm
