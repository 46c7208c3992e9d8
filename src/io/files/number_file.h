// Numbers in a file of their own, one for each angle: a text with one per line, or a .npy with one
// dimension.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace firm {

// A comment of a text, what follows a #, before the first number; and its line.
using CommentReader = std::function<void(std::string_view comment, int line)>;

// `what` one number is, for errors: "angle in degrees". Throws firm::Error naming the line that is
// not a number, and when there is none.
std::vector<double> read_numbers(const std::string& path, const std::string& what,
                                 const CommentReader& read_comment = {});

}  // namespace firm
