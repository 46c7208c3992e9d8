#include "io/files/number_file.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "firm/error.h"
#include "io/files/npy_file.h"

namespace firm {
namespace {

constexpr std::uintmax_t kLargest = std::uintmax_t{16} << 20;  // a million numbers
constexpr std::string_view kMark =
    "\xef\xbb\xbf";  // byte order mark of UTF-8, which some editors write

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::vector<double> numbers_of_text(const std::string& path, const std::string& text,
                                    const std::string& what, const CommentReader& read_comment) {
  std::vector<double> numbers;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (number == 1 && line.starts_with(kMark)) line.erase(0, kMark.size());
    const std::size_t mark = line.find('#');
    if (mark != std::string::npos && numbers.empty() && read_comment) {
      read_comment(trimmed(std::string_view(line).substr(mark + 1)), number);
    }
    const std::string_view value = trimmed(std::string_view(line).substr(0, mark));
    if (value.empty()) continue;
    double one = 0;
    const char* begin = value.data() + (value[0] == '+' ? 1 : 0);
    const char* end = value.data() + value.size();
    const auto [after, error] = std::from_chars(begin, end, one);
    if (error != std::errc() || after != end) {
      throw data_error({fmt::format("{}:{}", path, number), "", "one " + what,
                        fmt::format("\"{}\"", value.substr(0, 40))});
    }
    numbers.push_back(one);
  }
  return numbers;
}

std::vector<double> numbers_of_array(const std::string& path, const std::string& what) {
  const NpyFile file(path);
  if (file.shape().size() != 1) {
    throw data_error({path, "shape", fmt::format("one dimension, one {} each", what),
                      fmt::format("{} dimensions", file.shape().size())});
  }
  return file.read_all();
}

}  // namespace

std::vector<double> read_numbers(const std::string& path, const std::string& what,
                                 const CommentReader& read_comment) {
  std::vector<double> numbers;
  const RawFile file(path);
  const FileKind kind = kind_of_file(file);
  if (kind == FileKind::kNpy) {
    numbers = numbers_of_array(path, what);
  } else if (kind != FileKind::kOther || file.size() > kLargest) {
    throw data_error(
        {path, "", fmt::format("a text with one {} per line, or a .npy with one dimension", what),
         kind == FileKind::kHdf5   ? "an HDF5 file"
         : kind == FileKind::kTiff ? "a TIFF"
                                   : fmt::format("{} bytes", file.size())});
  } else {
    const std::string text = file.text(0, static_cast<std::size_t>(file.size()));
    numbers = numbers_of_text(path, text, what, read_comment);
  }
  if (numbers.empty()) throw data_error({path, "", fmt::format("one {} per line", what), "none"});
  return numbers;
}

}  // namespace firm
