#include "io/files/angle_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
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

std::vector<double> read_angles(const std::string& path, std::optional<double> unit) {
  double in_file = 1;
  std::vector<double> angles =
      read_numbers(path, "angle in degrees", [&](std::string_view comment, int line) {
        in_file = unit_of(comment, path, line).value_or(in_file);
      });
  for (double& angle : angles) angle *= unit.value_or(in_file);
  return angles;
}

bool look_like_radians(const std::vector<double>& degrees) {
  constexpr double kTurn = 2 * std::numbers::pi + 1e-3;
  constexpr double kShortestSpan = 1.5;
  constexpr double kLongestSpan = 6.3;
  constexpr double kRoundStep = 0.05;
  constexpr double kRounding = 1e-4;  // of float32, in steps
  constexpr std::size_t kFewest = 4;
  std::set<double> odd;  // no multiples of the round step
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const double angle : degrees) {
    if (!(std::abs(angle) <= kTurn)) return false;
    low = std::min(low, angle);
    high = std::max(high, angle);
    const double steps = angle / kRoundStep;
    if (std::abs(steps - std::round(steps)) > kRounding) odd.insert(angle);
  }
  const double span = high - low;
  return span >= kShortestSpan && span <= kLongestSpan && odd.size() >= kFewest &&
         2 * odd.size() > degrees.size();
}

}  // namespace firm
