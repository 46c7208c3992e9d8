// Waiting for something that another thread or process does.
#pragma once

#include <functional>

namespace firm {

// Tries every millisecond; returns whether the condition became true in time.
bool wait_until(double seconds, const std::function<bool()>& condition);

}  // namespace firm
