// Finds the name that somebody who misspelt it has meant.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace firm {

// Returns the known name most similar to `name`; none if no name is similar. Compares by the number
// of letters to insert, remove, replace or swap with their neighbour. Letters that differ in case
// alone count little, so that "UM" is closer to "um" than to "MeV".
std::optional<std::string> closest_name(const std::string& name,
                                        const std::vector<std::string>& known);

// " (did you mean x?)", to append to an error; empty if no known name is similar.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

}  // namespace firm
