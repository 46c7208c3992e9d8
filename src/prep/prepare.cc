#include "prep/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "firm/error.h"
#include "io/formats/data_units.h"
#include "prep/axis/rotation_axis.h"
#include "prep/data_warnings.h"
#include "prep/preparer.h"
#include "prep/site_noise.h"
#include "prep/steps/dead_beamlets.h"
#include "prep/steps/missing_frames.h"
#include "prep/steps/rings.h"
#include "prep/steps/transmission.h"
#include "prep/steps/zingers.h"

namespace firm {

Preparer::Preparer(const SiteSource& source, const SliceRange& slices)
    : source_(source),
      slices_(slices),
      steps_(source.entry.prepare),
      masks_(steps_.bad_values == "mask") {
  check_values_fit(source);
  reach_ = reach();
  result_.site = site_of(source);
}

PreparedSite Preparer::run() {
  set_scale();
  handle_dead_beamlets(read());
  if (steps_.zingers) mark_zingers(*steps_.zingers, s_);
  normalize();
  count_noise();
  if (!steps_.unmix.empty()) unmix();
  if (!source_.open.gain.empty()) divide_by_gain();
  if (steps_.lag.value_or(0) > 0) remove_detector_lag();
  if (steps_.minus_log) apply_logarithm();
  if (steps_.rings > 0) remove_rings(static_cast<std::size_t>(steps_.rings), s_);
  if (!source_.open.shifts_vertical.empty()) take_out_vertical_shifts();
  if (source_.entry.find_rotation_axis) estimate_axis();
  finish_values();
  set_noise();
  return std::move(result_);
}

Preparer::Reach Preparer::reach() const {
  const auto first = static_cast<std::ptrdiff_t>(slices_.first);
  if (source_.open.shifts_vertical.empty()) return {first, slices_.count};
  const auto n = static_cast<double>(source_.binning());
  const auto [least, most] = std::ranges::minmax(source_.open.shifts_vertical);
  const auto before = source_.entry.first_slice / source_.entry.binning;  // slices before the first
  const std::size_t rows =
      source_.scan.data->slices() - static_cast<std::size_t>(source_.entry.first_slice);
  const auto end = static_cast<double>(rows / source_.binning());
  const double wanted = static_cast<double>(first) + std::floor(std::min(0.0, least / n));
  const double wanted_end =
      static_cast<double>(slices_.first + slices_.count) + std::ceil(std::max(0.0, most / n));
  const auto from = static_cast<std::ptrdiff_t>(std::max(wanted, -static_cast<double>(before)));
  const auto to = static_cast<std::ptrdiff_t>(std::min(wanted_end, end));
  return {from, static_cast<std::size_t>(to - from)};
}

Binning Preparer::binning() const {
  const std::ptrdiff_t row = source_.entry.first_slice + reach_.first * source_.entry.binning;
  return {static_cast<std::size_t>(row), reach_.count, source_.binning()};
}

void Preparer::refuse(const Sinogram& s, Flaw flaw, const Frames& of, const char* expected,
                      const char* what, const char* frame) const {
  if (masks_ || s.count(flaw) == 0) return;
  throw data_error({source_.scan.file, of.facts().path, expected,
                    fmt::format("{}; bad_values = \"mask\" for {} leaves such values out",
                                flaw_text(s, flaw, what, frame), source_.mention())});
}

// Takes the scale of XRF to g/cm^2 from the study, or from the unit of the file.
void Preparer::set_scale() {
  if (!source_.entry.spacing) warn(source_.scan.spacing_warning);
  warn(source_.scan.theta_warning);
  const std::string& unit = source_.scan.data->facts().units;
  if (source_.entry.kind == "xrt") {
    if (!steps_.minus_log) result_.report.unit_warning = warn_logarithms(unit);
  } else if (steps_.find_scale) {
    result_.report.scale_open = true;
  } else if (steps_.scale) {
    result_.report.scale = *steps_.scale;
    if (source_.entry.coupled) result_.report.unit_warning = warn_scale(unit, *steps_.scale);
  } else {
    const XrfUnit known = xrf_unit(unit);
    result_.report.scale = known.size;
    result_.report.unit_warning = known.warning;
  }
}

std::vector<Stuck> Preparer::read() {
  const Frames& data = *source_.scan.data;
  Binning how = binning();
  how.saturation = steps_.saturation;
  how.find_stuck = true;
  BinnedFrames binned = read_binned(data, how);
  s_ = Sinogram(data.beamlets() / how.binning, std::move(binned.values), reach_.first);
  handle_missing_frames();
  for (std::size_t k = 0; k < binned.saturated.size(); ++k) {
    if (binned.saturated[k] != 0) s_.mark(k, Flaw::kSaturated);
  }
  mark_not_finite(s_);
  refuse(s_, Flaw::kNotFinite, data, "finite values", "NaN or infinite values");
  if (source_.entry.noise == Noise::kCounts) {
    counts_.values = s_.values;
    counts_.binned = std::pow(source_.entry.binning, 2);
  }
  if (const std::size_t rest = data.beamlets() % how.binning; rest > 0) {
    warn(fmt::format("the last {} of the {} beamlets are not used, because binning = {}", rest,
                     data.beamlets(), how.binning));
  }
  return std::move(binned.stuck);
}

void Preparer::handle_missing_frames() {
  const std::vector<std::size_t> missing = missing_frames(s_);
  result_.report.missing_frames = missing.size();
  if (missing.empty()) return;
  const std::string text =
      fmt::format("{} of {} frames {} 0 throughout, the first that of angle {}", missing.size(),
                  s_.angles, missing.size() == 1 ? "is" : "are", missing.front());
  if (!masks_) {
    throw data_error({source_.scan.file, source_.scan.data->facts().path,
                      "values other than 0 at every angle",
                      fmt::format("{}: the scan was stopped, or files are missing that this one "
                                  "refers to; bad_values = \"mask\" for {} leaves such frames out",
                                  text, source_.mention())});
  }
  mark_missing(missing, s_);
  warn(text + ", and left out");
}

void Preparer::handle_dead_beamlets(const std::vector<Stuck>& stuck) {
  const std::vector<DeadBeamlet> dead = dead_beamlets(s_, stuck, steps_.minus_log);
  result_.report.dead_beamlets = dead.size();
  if (dead.empty()) return;
  if (masks_) return mark_dead(dead, s_);
  constexpr std::size_t kShown = 5;
  std::vector<std::string> places;
  for (std::size_t k = 0; k < std::min(kShown, dead.size()); ++k) {
    places.push_back(fmt::format("{} in slice {}", dead[k].beamlet,
                                 reach_.first + static_cast<std::ptrdiff_t>(dead[k].slice)));
  }
  if (dead.size() > kShown) places.emplace_back("...");
  warn(
      fmt::format("{} beamlet{} the same value at all angles: {}; bad_values = \"mask\" leaves "
                  "such beamlets out",
                  dead.size(), dead.size() == 1 ? " has" : "s have", fmt::join(places, ", ")));
}

void Preparer::estimate_axis() {
  const SiteEntry& entry = source_.entry;
  const double binning = entry.binning;
  const auto beamlets = static_cast<double>(s_.beamlets);
  const double width = entry.axis_search.value_or(source_.middle() / 2) / binning;
  const AxisRange range{source_.middle() / binning, std::min(width, beamlets)};
  Geometry& g = result_.site.geometry;
  const RotationAxis found = find_rotation_axis(s_, g.angles, g.shifts, range, entry.kind == "xrt");
  // Rounded, so that a study can hold it exactly; in beamlets of the file, as in a study.
  constexpr double kDigits = 1000;
  AxisReport axis;
  axis.axis = std::round(found.axis * binning * kDigits) / kDigits;
  axis.uncertainty = found.uncertainty * binning;
  axis.contrast = found.contrast;
  if (found.centre_of_mass) axis.centre_of_mass = *found.centre_of_mass * binning;
  axis.warnings = axis_warnings(found, range, binning);
  g.rotation_axis = axis.axis / binning;
  result_.report.axis = axis;
}

void Preparer::finish_values() {
  PreparationReport& r = result_.report;
  r.values = s_.size();
  r.missing = s_.count(Flaw::kMissing);
  r.saturated = s_.count(Flaw::kSaturated);
  r.zingers = s_.count(Flaw::kZinger);
  r.not_finite = s_.count(Flaw::kNotFinite);
  r.no_beam = s_.count(Flaw::kNoBeam);
  r.not_positive = s_.count(Flaw::kNotPositive);
  r.dead = s_.count(Flaw::kDead);
  r.outside = s_.count(Flaw::kOutside);
  if (r.masked() > 0) result_.data.weights = Block(s_.values.rows(), s_.slices());
  std::vector<std::size_t> used(s_.slices());
  for (std::size_t k = 0; k < s_.size(); ++k) {
    if (!s_.usable(k)) {
      s_.value(k) = 0;
      continue;
    }
    if (r.scale != 1) {
      s_.value(k) = static_cast<float>(static_cast<double>(s_.value(k)) * r.scale);
    }
    if (r.masked() > 0) result_.data.weights.data()[k] = 1;
    ++used[k % s_.slices()];
  }
  const auto empty = std::find(used.begin(), used.end(), std::size_t{0});
  if (empty != used.end()) {
    throw data_error({source_.scan.file, source_.scan.data->facts().path,
                      "values that can be used in every slice",
                      fmt::format("none in slice {}; {}",
                                  slices_.first + static_cast<std::size_t>(empty - used.begin()),
                                  preparation_text(r))});
  }
  const bool all = slices_.count == static_cast<std::size_t>(source_.file.slices);
  warn(warn_values(s_, all));
  result_.data.values = std::move(s_.values);
}

void Preparer::set_noise() {
  const SiteEntry& entry = source_.entry;
  const double scale = result_.report.scale;
  if (scale != 1) {
    for (float& d : deviation_.values()) d = static_cast<float>(static_cast<double>(d) * scale);
  }
  if (seen_noise_) seen_noise_ = *seen_noise_ * scale;
  const std::string warning =
      apply_noise(entry, {deviation_, seen_noise_}, result_.site, result_.data);
  if (entry.noise != Noise::kGiven) result_.report.noise = NoiseReport{result_.site.sigma, warning};
}

PreparedSite prepare_site(const SiteSource& source, const SliceRange& slices) {
  return Preparer(source, slices).run();
}

}  // namespace firm
