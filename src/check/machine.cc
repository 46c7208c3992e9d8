#include "check/machine.h"

#include <filesystem>

#include "core/available_memory.h"

namespace firm {

Machine this_machine() {
  return {current_instant(), available_memory(), [](const std::string& directory) -> std::uint64_t {
            return std::filesystem::space(directory).available;
          }};
}

}  // namespace firm
