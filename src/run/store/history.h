// Selects lines of history.jsonl, as text.
#pragma once

#include <cstddef>
#include <string>

namespace firm {

// Returns the lines of rounds before `round`, up to the first line of a later round or the first
// damaged one, such as a last line that was cut off.
std::string lines_before(const std::string& history, int round);

// Return the lines of a chunk, and of the chunks after it.
std::string lines_of_chunk(const std::string& history, std::size_t chunk);
std::string lines_after_chunk(const std::string& history, std::size_t chunk);

}  // namespace firm
