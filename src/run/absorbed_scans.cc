#include "run/absorbed_scans.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "firm/error.h"
#include "prep/fluorescence.h"

namespace firm {
namespace {

// Throws if a scan of fluorescence has no XRT.
void require_xrt_in_scans(const StudyFile& file, const std::string& refined) {
  for (const SiteEntry& site : file.sites) {
    if (!is_absorbed(file, site)) continue;
    const bool followed = std::ranges::any_of(file.sites, [&](const SiteEntry& other) {
      return !is_absorbed(file, other) && other.scan_name() == site.scan_name();
    });
    if (followed) continue;
    throw usage_error(
        {"solve", "refine",
         fmt::format("XRT in the scan of {}, to refine {}: with self_absorption fluorescence does "
                     "not show where the object was. Sites that were measured at the same time "
                     "get the same scan = \"...\"",
                     site.name, refined),
         fmt::format("no XRT in scan {}", site.scan_name())});
  }
}

}  // namespace

void check_absorbed_refinement(const StudyFile& file, const RefineChoice& choice) {
  if (!file.self_absorption) return;
  std::vector<std::string> hidden;
  if (choice.lag) hidden.emplace_back("lag");
  if (choice.gain) hidden.emplace_back("gain");
  if (choice.scale) hidden.emplace_back("scale");
  if (!hidden.empty()) {
    throw usage_error(
        {"solve", "refine",
         "shifts, shifts-vertical, axis or angles in a study with self_absorption, because XRT "
         "shows them; the others come from fluorescence, which absorption changes in the same "
         "way. Find them with a thin object, or without self_absorption where little is absorbed",
         fmt::format("{}", fmt::join(hidden, ", "))});
  }
  std::vector<std::string> shown;
  if (choice.shifts) shown.emplace_back("shifts");
  if (choice.vertical) shown.emplace_back("shifts-vertical");
  if (choice.axis) shown.emplace_back("axis");
  if (choice.angles) shown.emplace_back("angles");
  if (!shown.empty()) require_xrt_in_scans(file, fmt::format("{}", fmt::join(shown, ", ")));
}

void let_absorbed_sites_follow(const std::vector<FollowingSite>& sites, bool axis,
                               Collective& collective, Refinement& result) {
  const std::vector<RefinedSite> aligned = std::exchange(result.sites, {});
  std::vector<double> sums(2 * result.scans.size());  // of weight times axis, and of weights
  for (const FollowingSite& site : sites) {
    const auto found = std::ranges::find(aligned, site.name, &RefinedSite::name);
    if (site.absorbed || found == aligned.end()) continue;
    result.sites.push_back(*found);
    if (!found->axis) continue;
    const double weight = 1 / (found->axis->uncertainty * found->axis->uncertainty);
    sums[2 * site.scan] += weight * found->axis->value;
    sums[2 * site.scan + 1] += weight;
  }
  if (axis) collective.sum({}, sums);
  auto place = result.sites.begin();
  for (const FollowingSite& site : sites) {
    if (site.absorbed) {
      RefinedSite following{.name = site.name};
      const double weight = sums[2 * site.scan + 1];
      if (axis && weight > 0) {
        following.axis = Found{sums[2 * site.scan] / weight, 1 / std::sqrt(weight)};
      }
      place = result.sites.insert(place, std::move(following));
    }
    ++place;
  }
}

}  // namespace firm
