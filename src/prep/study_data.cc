#include "prep/study_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "firm/error.h"
#include "io/inspect/cross_talk.h"
#include "prep/diagnose/site_comparison.h"
#include "prep/diagnose/site_warnings.h"
#include "prep/fluorescence.h"
#include "prep/scale_check.h"
#include "prep/site_noise.h"

namespace firm {
namespace {

constexpr std::size_t kEstimationSlices = 8;

SliceRange middle_slices(const StudyFile& file) {
  const auto all = static_cast<std::size_t>(file.slices);
  const std::size_t count = std::min(all, kEstimationSlices);
  return {(all - count) / 2, count};
}

// Warns if the axes of two sites of one scan differ by more than their uncertainties.
std::string warn_axes(const AxisReport& own, const std::string& name, const AxisReport& other) {
  constexpr double kDeviations = 2;
  constexpr double kLeast = 0.5;  // beamlets
  const double difference = std::abs(own.axis - other.axis);
  const double uncertainty = std::hypot(own.uncertainty, other.uncertainty);
  if (difference <= std::max(kLeast, kDeviations * uncertainty)) return "";
  return fmt::format(
      "the rotation axis {:.6g} +- {:.2g} contradicts {:.6g} +- {:.2g} of {}, which was measured "
      "in "
      "the same scan. The usual causes are a detector that lags, a wrong angle step, and a stage "
      "that moved: try --refine lag,angles,shifts",
      own.axis, own.uncertainty, other.axis, other.uncertainty, name);
}

bool has_unknowns(const SiteEntry& entry) {
  return entry.find_rotation_axis || (entry.noise != Noise::kGiven && !entry.estimated_sigma);
}

}  // namespace

StudyData::StudyData(StudyFile file, std::string path)
    : file_(std::move(file)),
      path_(std::move(path)),
      open_(file_.sites.size()),
      noise_warning_(warn_noise(file_)),
      estimates_(file_.sites.size()),
      diagnoses_(file_.sites.size()) {
  complete_noise(file_);
}

Site StudyData::site(const std::string& name) { return site_of(source(index_of(name))); }

Study StudyData::geometries() {
  Study study = study_without_sites(file_);
  for (const std::size_t i : xrt_last()) {
    const SiteSource s = source(i);
    study.sites.push_back(site_of(s));
    check_values_fit(s);
  }
  study.validate();
  check_scans();
  return study;
}

void StudyData::check_scans() {
  for (std::size_t i = 0; i < file_.sites.size(); ++i) {
    const SiteEntry& entry = file_.sites[i];
    const auto same = std::ranges::find(file_.sites, entry.scan, &SiteEntry::scan);
    if (entry.scan.empty()) continue;
    const SiteSource own = source(i);
    const SiteSource first = source(static_cast<std::size_t>(same - file_.sites.begin()));
    if (own.scan.theta.size() == first.scan.theta.size()) continue;
    throw data_error(
        {own.scan.file, own.scan.theta_source,
         fmt::format("{} angles as {} has, because {} is of the same scan = \"{}\"",
                     first.scan.theta.size(), first.mention(), own.mention(), entry.scan),
         fmt::format("{}", own.scan.theta.size())});
  }
}

void StudyData::estimate() {
  for (std::size_t i = 0; i < file_.sites.size(); ++i) {
    const bool open = file_.sites[i].find_rotation_axis;
    estimate(i);
    if (open) compare_axis(i);
  }
}

void StudyData::compare_axis(std::size_t site) {
  const SiteEntry& own = file_.sites[site];
  std::optional<AxisReport>& found = estimates_[site].axis;
  if (own.scan.empty() || !found) return;
  for (std::size_t i = 0; i < site; ++i) {
    const std::optional<AxisReport>& other = estimates_[i].axis;
    if (file_.sites[i].scan != own.scan || !other) continue;
    if (source(i).scan.data->beamlets() != source(site).scan.data->beamlets()) continue;
    const std::string warning = warn_axes(*found, file_.sites[i].name, *other);
    if (!warning.empty()) found->warnings.push_back(warning);
  }
}

void StudyData::estimate(const std::string& site) { estimate(index_of(site)); }

bool StudyData::estimated_any() const {
  return std::ranges::any_of(estimates_, [](const SiteEstimates& e) { return e.axis || e.noise; });
}

const SiteEstimates& StudyData::estimates(const std::string& site) const {
  return estimates_[index_of(site)];
}

void StudyData::refuse_counts(const std::string& site) {
  firm::refuse_counts(source(index_of(site)));
}

void StudyData::refuse_counts() {
  for (const std::size_t i : xrt_last()) firm::refuse_counts(source(i));
}

void StudyData::require_scales(const std::string& site) { require_scale(source(index_of(site))); }

void StudyData::require_scales() {
  for (const std::size_t i : xrt_last()) require_scale(source(i));
}

std::string StudyData::warn_cross_talk(const std::string& site) {
  const SiteSource s = source(index_of(site));
  if (!s.entry.prepare.unmix.empty()) return "";
  ScanRequest request;
  request.axes = s.entry.axes;
  request.external_files = s.entry.external_files;
  return firm::warn_cross_talk(s.scan.file, request, s.scan);
}

void StudyData::set_refined(const std::string& site, const RefinedValues& values) {
  const std::size_t index = index_of(site);
  SiteEntry& entry = file_.sites[index];
  if (values.rotation_axis) {
    entry.rotation_axis = values.rotation_axis;
    entry.find_rotation_axis = false;
    entry.axis_search.reset();
    estimates_[index].axis.reset();
  }
  if (values.angle_scale) entry.angle_scale = *values.angle_scale;
  if (values.lag) entry.prepare.lag = values.lag;
  if (values.scale) {
    entry.prepare.scale = values.scale;
    entry.prepare.find_scale = false;
  }
  if (!values.coupled) entry.coupled = false;
  if (!values.shifts.empty()) entry.shifts = {"", values.shifts};
  if (!values.shifts_vertical.empty()) entry.shifts_vertical = {"", values.shifts_vertical};
  if (!values.gain.empty()) entry.prepare.gain = {"", values.gain};
  if (entry.noise != Noise::kGiven) {
    entry.estimated_sigma.reset();
    estimates_[index].noise.reset();
  }
  if (open_[index]) read_angle_keys(entry, path_, *open_[index]);
}

void StudyData::restore(const Numbers& numbers) {
  FIRM_CHECK(numbers.file.sites.size() == open_.size());
  file_ = numbers.file;
  estimates_ = numbers.estimates;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    diagnoses_[i].clear();
    if (open_[i]) read_angle_keys(file_.sites[i], path_, *open_[i]);
  }
}

void StudyData::diagnose(const std::string& site) { diagnose(index_of(site)); }

void StudyData::diagnose() {
  std::vector<Site> sites;
  std::vector<SiteData> data;
  const std::vector<std::size_t> order = xrt_last();
  for (const std::size_t i : order) {
    std::optional<PreparedSite> prepared = diagnose(i);
    if (!prepared) continue;
    sites.push_back(std::move(prepared->site));
    data.push_back(std::move(prepared->data));
  }
  if (sites.size() < order.size()) return;
  for (SiteWarning& warning : compare_sites(sites, data)) {
    diagnoses_[order[warning.site]].push_back(std::move(warning.text));
  }
}

std::vector<Cause> StudyData::causes(const std::string& site, double sigma, bool compare) {
  const std::size_t index = index_of(site);
  const PreparedSite own = prepare(index, middle_slices(file_));
  CauseHints hints = cause_hints(file_, file_.sites[index], source(index).scan.data->facts().units);
  hints.sigma = sigma;
  hints.axis_found = estimates_[index].axis.has_value();
  if (!compare) return likely_causes(own.site, own.data, nullptr, nullptr, hints);
  std::vector<PreparedSite> others;
  for (const std::size_t i : xrt_last()) {
    if (i != index) others.push_back(prepare(i, middle_slices(file_)));
  }
  const PreparedSite* xrt = nullptr;
  for (const PreparedSite& other : others) {
    if (other.site.kind == SiteKind::kXrt) {
      xrt = &other;
      continue;
    }
    hints.others.push_back(&other.site);
    hints.others_data.push_back(&other.data);
  }
  return likely_causes(own.site, own.data, xrt ? &xrt->site : nullptr, xrt ? &xrt->data : nullptr,
                       hints);
}

PreparedSite StudyData::prepare(const std::string& site, const SliceRange& slices) {
  return prepare(index_of(site), slices);
}

LoadedStudy StudyData::load(const SliceRange& slices) {
  geometries();
  estimate();
  diagnose();
  LoadedStudy loaded{study_without_sites(file_), {}, {}};
  loaded.study.slices = slices.count;
  for (const std::size_t i : xrt_last()) {
    PreparedSite prepared = prepare(i, slices);
    prepared.data.site = loaded.data.size();
    loaded.study.sites.push_back(std::move(prepared.site));
    loaded.data.push_back(std::move(prepared.data));
    loaded.reports.push_back(std::move(prepared.report));
  }
  loaded.study.validate();
  return loaded;
}

std::size_t StudyData::index_of(const std::string& site) const {
  const auto at = std::ranges::find(file_.sites, site, &SiteEntry::name);
  FIRM_CHECK(at != file_.sites.end());
  return static_cast<std::size_t>(at - file_.sites.begin());
}

std::vector<std::size_t> StudyData::xrt_last() const {
  std::vector<std::size_t> order(file_.sites.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // The ranges version does not compile with clang 14, which builds the fuzzers.
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return file_.sites[i].kind != "xrt"; });
  return order;
}

SiteSource StudyData::source(std::size_t site) {
  if (!open_[site]) open_[site] = open_site(file_, file_.sites[site], path_);
  return {file_, file_.sites[site], path_, *open_[site], open_[site]->scan};
}

void StudyData::estimate(std::size_t site) {
  SiteEntry& entry = file_.sites[site];
  if (!has_unknowns(entry)) return;
  if (entry.find_rotation_axis && is_absorbed(file_, entry)) {
    throw usage_error({path_, fmt::format("{}: rotation_axis", entry.name),
                       "a number in a study with self_absorption: fluorescence is brighter on the "
                       "side of the detector, which looks like another axis. Take that of XRT; or "
                       "leave the key out, and --refine axis finds it by XRT of the same scan",
                       "auto"});
  }
  PreparationReport report = prepare_site(source(site), middle_slices(file_)).report;
  if (report.axis) {
    entry.rotation_axis = report.axis->axis;
    entry.find_rotation_axis = false;
  }
  if (report.noise) entry.estimated_sigma = report.noise->sigma;
  // An axis that was found before stays beside a noise that is estimated again.
  if (report.axis) estimates_[site].axis = std::move(report.axis);
  if (report.noise) estimates_[site].noise = std::move(report.noise);
}

// Prepares the slices that were looked at; none if they cannot be prepared.
std::optional<PreparedSite> StudyData::diagnose(std::size_t site) {
  diagnoses_[site].clear();
  try {
    PreparedSite prepared = prepare(site, middle_slices(file_));
    SiteEntry entry = file_.sites[site];
    entry.find_rotation_axis = estimates_[site].axis.has_value();
    diagnoses_[site] = site_warnings(entry, prepared.site, prepared.data);
    return prepared;
  } catch (const Error&) {
    return {};
  }
}

PreparedSite StudyData::prepare(std::size_t site, const SliceRange& slices) {
  estimate(site);
  PreparedSite prepared = prepare_site(source(site), slices);
  const SiteEstimates& estimates = estimates_[site];
  if (estimates.axis) prepared.report.axis = estimates.axis;
  if (estimates.noise) prepared.report.noise = estimates.noise;
  std::vector<std::string>& warnings = prepared.report.warnings;
  warnings.insert(warnings.end(), diagnoses_[site].begin(), diagnoses_[site].end());
  return prepared;
}

Study study_without_sites(const StudyFile& file) {
  Study study;
  study.name = file.name;
  study.image_rows = file.rows;
  study.image_columns = file.columns;
  study.pixel_size = file.pixel_size;
  study.slice_spacing = file.slice_spacing.value_or(0);
  study.slices = static_cast<std::size_t>(file.slices);
  study.other = file.other;
  if (file.attenuation == "xrt") study.attenuation = Attenuation::kXrt;
  return study;
}

SliceRange all_slices(const StudyFile& file) { return {0, static_cast<std::size_t>(file.slices)}; }

}  // namespace firm
