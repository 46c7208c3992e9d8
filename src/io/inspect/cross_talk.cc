#include "io/inspect/cross_talk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace firm {
namespace {

constexpr double kStrong = 0.2;        // of the largest value
constexpr double kWeak = 0.02;         // of the largest value
constexpr std::size_t kFewest = 30;    // rays of each kind
constexpr double kLargestShare = 0.5;  // more is an element of its own
constexpr double kSmallestShare = 0.005;
constexpr double kSpread = 0.1;   // of the share, between quartile and median of own / other
constexpr double kNothing = 0.1;  // of the strong values
constexpr std::size_t kMostElements = 24;

double quantile(std::vector<double>& values, double part) {
  const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + at);
  return values[static_cast<std::size_t>(at)];
}

std::vector<float> middle_slice(const Scan& scan) {
  return scan.data->read({0, scan.data->frames(), scan.data->slices() / 2, 1});
}

}  // namespace

double share_of_other(std::span<const float> own, std::span<const float> other) {
  double largest = 0;
  for (const float value : other) {
    if (std::isfinite(value)) largest = std::max(largest, static_cast<double>(value));
  }
  if (!(largest > 0)) return 0;
  std::vector<double> ratios;
  std::vector<double> strong;
  std::vector<double> weak;
  double smallest_noise = 0;  // of a ratio, if values are counts
  for (std::size_t k = 0; k < own.size(); ++k) {
    const auto e = static_cast<double>(own[k]);
    const auto o = static_cast<double>(other[k]);
    if (!std::isfinite(e) || !std::isfinite(o)) continue;
    if (o <= kWeak * largest) weak.push_back(std::abs(e));
    if (o < kStrong * largest) continue;
    ratios.push_back(e / o);
    strong.push_back(e);
    smallest_noise += std::sqrt(std::max(e, 0.0)) / o;
  }
  if (ratios.size() < kFewest || weak.size() < kFewest) return 0;
  smallest_noise /= static_cast<double>(ratios.size());
  const double median = quantile(ratios, 0.5);
  const double quartile = quantile(ratios, 0.25);
  if (median < kSmallestShare || median > kLargestShare) return 0;
  if (median - quartile > kSpread * median + smallest_noise) return 0;
  return quantile(weak, 0.5) < kNothing * quantile(strong, 0.5) ? median : 0;
}

std::string warn_cross_talk(const std::string& path, const ScanRequest& request, const Scan& scan) {
  if (scan.elements.size() < 2 || scan.elements.size() > kMostElements) return "";
  if (std::ranges::find(scan.elements, scan.element) == scan.elements.end()) return "";
  const std::vector<float> own = middle_slice(scan);
  std::string strongest;
  double most = 0;
  for (const std::string& element : scan.elements) {
    if (element == scan.element) continue;
    ScanRequest other = request;
    other.element = element;
    const double share = share_of_other(own, middle_slice(open_scan(path, other)));
    if (share <= most) continue;
    most = share;
    strongest = element;
  }
  if (strongest.empty()) return "";
  return fmt::format(
      "{0} looks like {1:.2g} of {2}, as of lines that overlap; if so, unmix = {{{2} = {1:.2g}}} "
      "in "
      "its table of the study subtracts it. This is a guess: elements that are always found "
      "together "
      "look the same",
      scan.element, most, strongest);
}

}  // namespace firm
