// Child processes that must succeed. Errors are thrown as std::runtime_error, with the output.
#pragma once

#include <string>

#include "core/child_process.h"

namespace firm {

// ChildProcess::text_after(); throws when the text does not appear in time.
std::string require_text_after(ChildProcess& process, const std::string& mark, double seconds);

// Waits until the process ends. Throws unless it ends in time, with exit code 0 or 5 (stopped
// before converging).
void require_success(ChildProcess& process, double seconds);

}  // namespace firm
