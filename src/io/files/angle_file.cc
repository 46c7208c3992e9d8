#include "io/files/angle_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "firm/error.h"
#include "io/files/number_file.h"
#include "io/study/quantity.h"

namespace firm {
namespace {

// Size in degrees of the unit in a comment "units: rad"; none when the comment gives no unit.
std::optional<double> unit_of(std::string_view comment, const std::string& path, int line) {
  constexpr std::string_view kKey = "units:";
  if (!comment.starts_with(kKey)) return {};
  comment.remove_prefix(kKey.size());
  const std::string unit(
      comment.substr(std::min(comment.find_first_not_of(" \t"), comment.size())));
  if (const auto degrees = unit_size(Dimension::kAngle, unit)) return degrees;
  throw data_error({fmt::format("{}:{}", path, line), "units", "deg or rad", unit});
}

}  // namespace

std::vector<double> read_angles(const std::string& path) {
  double unit = 1;
  std::vector<double> angles =
      read_numbers(path, "angle in degrees", [&](std::string_view comment, int line) {
        unit = unit_of(comment, path, line).value_or(unit);
      });
  for (double& angle : angles) angle *= unit;
  return angles;
}

}  // namespace firm
