// A trial in a child process: for libraries that may crash on files that are damaged.
#pragma once

#include <functional>

namespace firm {

// Whether a child process comes through `work`; what it throws does not count. The child is a copy
// of this process: what it changes in memory is lost.
bool survives(const std::function<void()>& work);

}  // namespace firm
