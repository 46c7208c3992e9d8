// Files with one number per angle: a text with one number per line, or a .npy with one dimension.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace firm {

// Receives each comment (the text after a #) before the first number, and its line.
using CommentReader = std::function<void(std::string_view comment, int line)>;

// Reads the numbers. `what` describes one number in errors: "angle in degrees". Throws firm::Error
// that names the line without a number, and when the file has no numbers.
std::vector<double> read_numbers(const std::string& path, const std::string& what,
                                 const CommentReader& read_comment = {});

}  // namespace firm
