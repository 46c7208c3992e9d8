#include "prep/data_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "io/inspect/survey.h"

namespace firm {

std::string warn_transmissions(const Sinogram& s, bool normalized) {
  constexpr float kTooMuch = 1.5f;
  constexpr float kTooLittle = 0.01f;
  std::size_t above = 0;
  float largest = 0;
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (!s.usable(k)) continue;
    above += s.value(k) > kTooMuch ? 1 : 0;
    largest = std::max(largest, s.value(k));
  }
  const char* why =
      normalized ? "white frames or a monitor of another exposure or unit? normalize = \"air\" "
                   "normalizes by beamlets beside the object"
                 : "counts without white frames? normalize = \"air\" normalizes by beamlets beside "
                   "the object";
  if (above > s.size() / 100) {
    return fmt::format("{} of {} transmissions are above {}: {}", above, s.size(), kTooMuch, why);
  }
  if (largest >= kTooLittle) return "";
  return fmt::format("no transmission is above {:.3g}: {}", largest, why);
}

std::string warn_monitor(const Sinogram& s) {
  constexpr double kTolerance = 0.05;
  const std::size_t outer = outer_beamlets(s.beamlets);
  std::vector<float> beside;
  for (std::size_t k = 0; k < s.size(); ++k) {
    const std::size_t x = k / s.slices() % s.beamlets;
    if ((x < outer || x + outer >= s.beamlets) && s.usable(k)) beside.push_back(s.value(k));
  }
  if (beside.empty()) return "";
  const auto middle = beside.begin() + static_cast<std::ptrdiff_t>(beside.size() / 2);
  std::nth_element(beside.begin(), middle, beside.end());
  if (std::abs(static_cast<double>(*middle) - 1) <= kTolerance) return "";
  return fmt::format(
      "the transmission relative to the monitor is {:.3g} in the {} outermost beamlets on "
      "each side, not 1; if the object does not reach there, normalize = \"air\" with air = "
      "{} normalizes by them",
      *middle, outer, outer);
}

std::string warn_values(const Sinogram& s, bool all) {
  std::optional<float> first;
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (!s.usable(k)) continue;
    if (!first) first = s.value(k);
    if (s.value(k) != *first) return "";
  }
  if (!first) return "";
  const std::string where =
      all ? ""
          : fmt::format(" of slices {} to {}", s.first_slice,
                        s.first_slice + static_cast<std::ptrdiff_t>(s.slices()) - 1);
  return fmt::format("all values{} are {}: wrong file, or wrong dataset?", where, *first);
}

}  // namespace firm
