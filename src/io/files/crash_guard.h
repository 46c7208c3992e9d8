// A trial in a child process: for libraries that may crash on files that are damaged.
#pragma once

#include <functional>
#include <vector>

namespace firm {

// Seconds that a child may take; after that another one is tried. A child of a process with threads
// can, very rarely, find a lock that nobody holds any more: the next one will not. Slow disks get
// their time in the end.
inline const std::vector<double> kTrialSeconds = {10, 30, 120};

// Whether a child process comes through `work`; what it throws does not count. The child is a copy
// of this process: what it changes in memory is lost.
bool survives_in_child(const std::function<void()>& work,
              const std::vector<double>& seconds = kTrialSeconds);

}  // namespace firm
