#include "prep/estimate_unknowns.h"

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

SiteFindings estimate_site(const StudyFile& file, const std::string& path, SiteEntry& entry) {
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

bool EstimatedStudy::any() const {
  return std::ranges::any_of(findings, [](const SiteFindings& f) { return f.axis || f.noise; });
}

EstimatedStudy estimate_unknowns(const StudyFile& file, const std::string& path) {
  EstimatedStudy estimated{file, {}};
  for (SiteEntry& entry : estimated.file.sites) {
    estimated.findings.push_back(estimate_site(file, path, entry));
  }
  return estimated;
}

PreparedSite estimate_and_prepare(const StudyFile& file, const SiteEntry& entry,
                                const std::string& path) {
  SiteEntry estimated = entry;
  const SiteFindings found = estimate_site(file, path, estimated);
  PreparedSite prepared = prepare_site(file, estimated, path, all_slices(file));
  add(found, prepared.report);
  return prepared;
}

bool may_have_weights(const StudyFile& file, const std::string& site) {
  const SiteEntry& entry = *std::ranges::find(file.sites, site, &SiteEntry::name);
  const Preparation& p = entry.prepare;
  return entry.noise == Noise::kCounts || p.bad_values == "mask" || p.zingers || p.saturation;
}

std::string warn_noise(const StudyFile& file) {
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
