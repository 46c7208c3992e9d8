#include "prep/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace firm {
namespace {

std::string masked_text(const PreparationReport& r) {
  std::vector<std::string> reasons;
  const auto reason = [&](std::size_t count, const char* name) {
    if (count > 0) reasons.push_back(fmt::format("{} {}", count, name));
  };
  reason(r.missing, "of missing frames");
  reason(r.saturated, "saturated");
  reason(r.zingers, r.zingers == 1 ? "zinger" : "zingers");
  reason(r.not_finite, "NaN or infinite");
  reason(r.no_beam, "without beam");
  reason(r.not_positive, "with a transmission not above 0");
  reason(r.dead, "of dead beamlets");
  reason(r.outside, "shifted beyond the rows of the file");
  return fmt::format("{} of {} values masked: {}", r.masked(), r.values, fmt::join(reasons, ", "));
}

std::string lag_text(const LagReport& lag) {
  const std::string resolution = lag.resolution > 0
                                     ? fmt::format("resolution {:.2g} beamlets", lag.resolution)
                                     : "resolution stays";
  return fmt::format("lag of {:.4g} beamlet{} removed: noise grows {:.2g}-fold, {}", lag.lag,
                     lag.lag == 1 ? "" : "s", lag.noise_growth, resolution);
}

}  // namespace

std::string preparation_text(const PreparationReport& r) {
  std::vector<std::string> parts;
  if (r.masked() > 0) parts.push_back(masked_text(r));
  if (r.clipped_low + r.clipped_high > 0) {
    parts.push_back(fmt::format("{} transmissions clipped from below, {} from above", r.clipped_low,
                                r.clipped_high));
  }
  if (r.lag) parts.push_back(lag_text(*r.lag));
  if (r.axis) {
    parts.push_back(fmt::format("rotation axis found at {:.6g} +- {:.2g} beamlets", r.axis->axis,
                                r.axis->uncertainty));
  }
  if (r.noise) parts.push_back(fmt::format("noise found to be {:.4g}", r.noise->sigma));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> PreparationReport::all_warnings() const {
  std::vector<std::string> all;
  if (!unit_warning.empty()) all.push_back(unit_warning);
  all.insert(all.end(), warnings.begin(), warnings.end());
  if (axis) all.insert(all.end(), axis->warnings.begin(), axis->warnings.end());
  if (noise && !noise->warning.empty()) all.push_back(noise->warning);
  return all;
}

std::vector<std::string> preparation_lines(const std::string& site,
                                           const PreparationReport& report) {
  std::vector<std::string> lines;
  const std::string text = preparation_text(report);
  if (!text.empty()) lines.push_back(fmt::format("{}: {}", site, text));
  for (const std::string& warning : report.all_warnings()) {
    lines.push_back(fmt::format("{}: warning: {}", site, warning));
  }
  return lines;
}

}  // namespace firm
