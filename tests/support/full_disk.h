// Simulates a full disk by a limit on the size of files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace firm {

// Message of the exception that `action` throws where no file can grow beyond `bytes`; empty when
// it throws none. Runs the action in a process of its own, because HDF5 leaks memory when it cannot
// write. The action must not use OpenMP, whose threads do not survive a fork.
std::string error_on_full_disk(std::uint64_t bytes, const std::function<void()>& action);

}  // namespace firm
