// Guards against libraries that crash on damaged files: a child process tries the work first.
#pragma once

#include <functional>
#include <vector>

namespace firm {

// Time limits of the first, second and third attempt. A forked child of a process with threads may,
// very rarely, wait for a lock whose owner was not copied; the next child will not. The last limit
// is long enough for slow disks.
inline const std::vector<double> kAttemptSeconds = {10, 30, 120};

// Whether a child process finishes `work` without crashing; an exception is not a crash. The child
// is a copy of this process: its changes to memory are lost.
bool survives_in_child(const std::function<void()>& work,
                       const std::vector<double>& seconds = kAttemptSeconds);

}  // namespace firm
