#include "io/inspect/angle_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/files/angle_file.h"

namespace firm {
namespace {

constexpr double kHalfTurn = 180;
constexpr double kLeastCovered = 149;
constexpr double kTurnInRadians = 2 * std::numbers::pi;
constexpr std::size_t kFew = 4;  // fewer angles may be anything

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Largest gap between angles modulo half a turn, beyond the usual step.
std::string warn_gap(std::vector<double> angles) {
  for (double& angle : angles) angle -= kHalfTurn * std::floor(angle / kHalfTurn);
  std::sort(angles.begin(), angles.end());
  std::vector<double> steps;
  for (std::size_t k = 1; k < angles.size(); ++k) steps.push_back(angles[k] - angles[k - 1]);
  steps.push_back(angles.front() + kHalfTurn - angles.back());
  const auto largest = std::max_element(steps.begin(), steps.end());
  const double covered = kHalfTurn - (*largest - median(steps));
  if (covered >= kLeastCovered) return "";
  const double from = angles[static_cast<std::size_t>(largest - steps.begin())];
  return fmt::format(
      "no angles between {:.4g} and {:.4g} degrees, modulo 180: edges along the missing rays will "
      "be blurred",
      from, from + *largest);
}

}  // namespace

std::string warn_angle_coverage(const std::vector<double>& degrees) {
  std::vector<double> finite;
  std::ranges::copy_if(degrees, std::back_inserter(finite),
                       [](double angle) { return std::isfinite(angle); });
  if (finite.empty()) return "";
  if (finite.size() == 1) return "only one angle, which does not determine an image";
  const auto [low, high] = std::ranges::minmax(finite);
  if (low == high) {
    return fmt::format("all {} angles are {:.4g} degrees: wrong dataset?", finite.size(), low);
  }
  if (look_like_radians(finite)) return "";  // the reader of the angles warns
  if (finite.size() >= kFew && high - low <= kTurnInRadians) {
    return fmt::format(
        "{} angles from {:.4g} to {:.4g} degrees only: angle_unit = \"rad\" if they are radians",
        finite.size(), low, high);
  }
  return finite.size() >= kFew ? warn_gap(std::move(finite)) : "";
}

}  // namespace firm
