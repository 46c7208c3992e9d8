// The lines of history.jsonl, as text.
#pragma once

#include <cstddef>
#include <string>

namespace firm {

// Those of rounds before `round`, up to the first that is not or is damaged, as a last line is that
// was cut off.
std::string lines_before(const std::string& history, int round);

// Those of a chunk; of the chunks after it.
std::string lines_of_chunk(const std::string& history, std::size_t chunk);
std::string lines_after_chunk(const std::string& history, std::size_t chunk);

}  // namespace firm
