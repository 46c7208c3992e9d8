// Guards against libraries that crash on damaged files: a child process tries the work first.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace firm {

// Time limits of the first, second and third attempt. A forked child of a process with threads may,
// very rarely, wait for a lock whose owner was not copied; the next child will not. The last limit
// is long enough for slow disks.
inline const std::vector<double> kAttemptSeconds = {10, 30, 120};

// Whether a child process finishes `work` without crashing; an exception is not a crash. The child
// is a copy of this process: its changes to memory are lost. Throws Interrupted when the user
// interrupts the wait (core/interruption.h).
bool survives_in_child(const std::function<void()>& work,
                       const std::vector<double>& seconds = kAttemptSeconds);

// Calls `read` in a child process. Throws firm::Error if the HDF5 library crashes on the file, or
// does not return: 1.10 crashes on damaged text of variable length. Exceptions of `read` are lost;
// the caller repeats it.
void guard_hdf5(const std::string& file, const std::function<void()>& read);

}  // namespace firm
