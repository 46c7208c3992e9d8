#include "io/angle_file.h"

#include <fmt/format.h>

#include <charconv>
#include <numbers>
#include <optional>
#include <sstream>
#include <string_view>

#include "firm/error.h"
#include "io/npy_file.h"

namespace firm {
namespace {

constexpr std::uintmax_t kLargest = std::uintmax_t{16} << 20;  // a million angles

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Of a comment "units: rad"; nothing when it says nothing about units.
std::optional<double> scale_of(std::string_view comment, const std::string& path, int line) {
  constexpr std::string_view kKey = "units:";
  if (!comment.starts_with(kKey)) return {};
  const std::string_view unit = trimmed(comment.substr(kKey.size()));
  for (const char* known : {"deg", "degree", "degrees"}) {
    if (unit == known) return 1;
  }
  for (const char* known : {"rad", "radian", "radians"}) {
    if (unit == known) return 180 / std::numbers::pi;
  }
  throw data_error({fmt::format("{}:{}", path, line), "units", "deg or rad", std::string(unit)});
}

std::vector<double> angles_of_text(const std::string& path, const std::string& text) {
  std::vector<double> angles;
  double scale = 1;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::size_t mark = line.find('#');
    if (mark != std::string::npos && angles.empty()) {
      const std::string_view comment = trimmed(std::string_view(line).substr(mark + 1));
      scale = scale_of(comment, path, number).value_or(scale);
    }
    const std::string_view value = trimmed(std::string_view(line).substr(0, mark));
    if (value.empty()) continue;
    double angle = 0;
    const char* begin = value.data() + (value[0] == '+' ? 1 : 0);
    const char* end = value.data() + value.size();
    const auto [after, error] = std::from_chars(begin, end, angle);
    if (error != std::errc() || after != end) {
      throw data_error({fmt::format("{}:{}", path, number), "", "one angle in degrees",
                        fmt::format("\"{}\"", value.substr(0, 40))});
    }
    angles.push_back(scale * angle);
  }
  return angles;
}

std::vector<double> angles_of_array(const std::string& path) {
  const NpyFile file(path);
  if (file.shape().size() != 1) {
    throw data_error({path, "shape", "one dimension, the angles",
                      fmt::format("{} dimensions", file.shape().size())});
  }
  return file.read_all();
}

}  // namespace

std::vector<double> read_angles(const std::string& path) {
  std::vector<double> angles;
  const FileKind kind = kind_of_file(path);
  const RawFile file(path);
  if (kind == FileKind::kNpy) {
    angles = angles_of_array(path);
  } else if (kind != FileKind::kOther || file.size() > kLargest) {
    throw data_error({path, "", "a text with one angle per line, or a .npy with one dimension",
                      kind == FileKind::kHdf5   ? "an HDF5 file"
                      : kind == FileKind::kTiff ? "a TIFF"
                                                : fmt::format("{} bytes", file.size())});
  } else {
    angles = angles_of_text(path, file.text(0, static_cast<std::size_t>(file.size())));
  }
  if (angles.empty()) throw data_error({path, "", "one angle per line", "none"});
  return angles;
}

}  // namespace firm
