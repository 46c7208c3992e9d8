#include "prep/settle.h"

#include <fmt/format.h>

#include <algorithm>

namespace firm {
namespace {

constexpr std::size_t kMostSlices = 8;

SliceRange middle_slices(const StudyFile& file) {
  const auto all = static_cast<std::size_t>(file.slices);
  const std::size_t count = std::min(all, kMostSlices);
  return {(all - count) / 2, count};
}

SiteFindings settle_site(const StudyFile& file, const std::string& path, SiteEntry& entry) {
  SiteFindings found;
  if (!entry.find_rotation_axis && entry.noise == Noise::kGiven) return found;
  PreparedSite prepared = prepare_site(file, entry, path, middle_slices(file));
  found.axis = std::move(prepared.report.axis);
  found.noise = std::move(prepared.report.noise);
  if (found.axis) {
    entry.rotation_axis = found.axis->axis;
    entry.find_rotation_axis = false;
  }
  if (found.noise) entry.found_sigma = found.noise->sigma;
  return found;
}

}  // namespace

void add(const SiteFindings& found, PreparationReport& report) {
  report.axis = found.axis;
  report.noise = found.noise;
}

bool SettledStudy::any() const {
  return std::ranges::any_of(findings, [](const SiteFindings& f) { return f.axis || f.noise; });
}

SettledStudy settle(const StudyFile& file, const std::string& path) {
  SettledStudy settled{file, {}};
  for (SiteEntry& entry : settled.file.sites) {
    settled.findings.push_back(settle_site(file, path, entry));
  }
  return settled;
}

PreparedSite settle_and_prepare(const StudyFile& file, const SiteEntry& entry,
                                const std::string& path) {
  SiteEntry settled = entry;
  const SiteFindings found = settle_site(file, path, settled);
  PreparedSite prepared = prepare_site(file, settled, path, all_slices(file));
  add(found, prepared.report);
  return prepared;
}

bool may_have_weights(const StudyFile& file, const std::string& site) {
  const SiteEntry& entry = *std::ranges::find(file.sites, site, &SiteEntry::name);
  const Preparation& p = entry.prepare;
  return entry.noise == Noise::kCounts || p.bad_values == "mask" || p.zingers || p.saturation;
}

std::string doubt_about_noise(const StudyFile& file) {
  const SiteEntry* with = nullptr;
  const SiteEntry* without = nullptr;
  for (const SiteEntry& entry : file.sites) {
    const bool known = entry.noise != Noise::kGiven || entry.sigma;
    (known ? with : without) = &entry;
  }
  if (with == nullptr || without == nullptr) return "";
  return fmt::format(
      "sigma is given for {}, but not for {}, where it is taken as 1 in the unit of the data; give "
      "it for all sites (\"estimate\" finds it), or for none",
      with->name, without->name);
}

SliceRange all_slices(const StudyFile& file) { return {0, static_cast<std::size_t>(file.slices)}; }

}  // namespace firm
