#include "prep/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "firm/error.h"
#include "io/formats/data_units.h"
#include "prep/site_noise.h"
#include "prep/steps/binning.h"
#include "prep/steps/dead_beamlets.h"
#include "prep/data_warnings.h"
#include "prep/steps/missing_frames.h"
#include "prep/steps/normalize.h"
#include "prep/steps/rings.h"
#include "prep/axis/rotation_axis.h"
#include "prep/site_source.h"
#include "prep/steps/transmission.h"
#include "prep/steps/zingers.h"

namespace firm {
namespace {

// Values as measured, for the noise of counts.
struct MeasuredCounts {
  Block values;       // after binning, masked ones included; no rows when nobody asks for them
  double binned = 1;  // counts whose mean one entry is
  std::vector<double> dark;  // mean frame, beamlets x slices, as a Block has them; empty: 0
  double dark_frames = 0;    // how many there are
  double white_frames = 0;   // and of those without object, where data was divided by them
};

class Preparing {
 public:
  Preparing(const SiteSource& source, const SliceRange& slices)
      : source_(source),
        slices_(slices),
        how_(source.entry.prepare),
        masks_(how_.bad_values == "mask") {
    check_values_fit(source);
    result_.site = site_of(source);
  }

  PreparedSite run();

 private:
  void look_at_units();
  std::vector<Stuck> read();
  void look_for_missing_frames();
  void look_for_dead_beamlets(const std::vector<Stuck>& stuck);
  void normalize();
  void normalize_transmission();
  void take_transmissions();
  void find_axis();
  void finish();
  void find_noise();

  Binning binning() const { return binning_of(slices_); }
  Binning binning_of(const SliceRange& slices) const;
  // The frames of a stack as one, without what is saturated; zeros when there are no frames.
  std::vector<double> average(const Frames* frames) const;
  // Throws when something has this flaw and is not to be masked.
  void refuse(const Sinogram& s, Flaw flaw, const Frames& of, const char* expected,
              const char* what, const char* frame = "angle") const;
  void refuse_white(const std::vector<double>& white, const std::vector<double>& dark) const;
  void refuse_monitor(const Block& monitor) const;
  void warn(std::string text) {
    if (!text.empty()) result_.report.warnings.push_back(std::move(text));
  }

  const SiteSource& source_;
  SliceRange slices_;
  const Preparation& how_;
  bool masks_;
  Sinogram s_;
  MeasuredCounts counts_;
  PreparedSite result_;
};

PreparedSite Preparing::run() {
  look_at_units();
  look_for_dead_beamlets(read());
  if (how_.zingers) mark_zingers(*how_.zingers, s_);
  normalize();
  if (how_.minus_log) take_transmissions();
  if (how_.rings > 0) remove_rings(static_cast<std::size_t>(how_.rings), s_);
  if (source_.entry.find_rotation_axis) find_axis();
  finish();
  find_noise();
  return std::move(result_);
}

Binning Preparing::binning_of(const SliceRange& slices) const {
  const auto first = static_cast<std::size_t>(source_.entry.first_slice);
  return {first + slices.first * source_.binning(), slices.count, source_.binning()};
}

void Preparing::refuse(const Sinogram& s, Flaw flaw, const Frames& of, const char* expected,
                       const char* what, const char* frame) const {
  if (masks_ || s.count(flaw) == 0) return;
  throw data_error({source_.scan.file, of.facts().path, expected,
                    fmt::format("{}; bad_values = \"mask\" for {} leaves such values out",
                                flaw_text(s, flaw, what, frame), source_.mention())});
}

// What makes g/cm^2 of XRF: `scale`, or the unit that the file tells.
void Preparing::look_at_units() {
  if (!source_.entry.spacing) warn(source_.scan.spacing_warning);
  const std::string& unit = source_.scan.data->facts().units;
  if (source_.entry.kind == "xrt") {
    if (!how_.minus_log) result_.report.unit_warning = warn_logarithms(unit);
  } else if (how_.scale) {
    result_.report.scale = *how_.scale;
  } else {
    const XrfUnit taken = xrf_unit(unit);
    result_.report.scale = taken.size;
    result_.report.unit_warning = taken.doubt;
  }
}

std::vector<Stuck> Preparing::read() {
  const Frames& data = *source_.scan.data;
  Binning how = binning();
  how.saturation = how_.saturation;
  how.find_stuck = true;
  BinnedFrames binned = read_binned(data, how);
  s_ = Sinogram(data.beamlets() / how.binning, std::move(binned.values), slices_.first);
  look_for_missing_frames();
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
    warn(fmt::format("the last {} of the {} beamlets are not used: {} of them make one", rest,
                     data.beamlets(), how.binning));
  }
  return std::move(binned.stuck);
}

void Preparing::look_for_missing_frames() {
  const std::vector<std::size_t> missing = missing_frames(s_);
  result_.report.missing_frames = missing.size();
  if (missing.empty()) return;
  const std::string text =
      fmt::format("{} of {} frames {} 0 throughout, the first that of angle {}", missing.size(),
                  s_.angles, missing.size() == 1 ? "is" : "are", missing.front());
  if (!masks_) {
    throw data_error({source_.scan.file, source_.scan.data->facts().path,
                      "values other than 0 at every angle",
                      fmt::format("{}: a scan that was stopped, or files missing that this one "
                                  "refers to; bad_values = \"mask\" for {} leaves such frames out",
                                  text, source_.mention())});
  }
  mark_missing(missing, s_);
  warn(text + ", and left out");
}

void Preparing::look_for_dead_beamlets(const std::vector<Stuck>& stuck) {
  const std::vector<DeadBeamlet> dead = dead_beamlets(s_, stuck, how_.minus_log);
  result_.report.dead_beamlets = dead.size();
  if (dead.empty()) return;
  if (masks_) return mark_dead(dead, s_);
  constexpr std::size_t kShown = 5;
  std::vector<std::string> places;
  for (std::size_t k = 0; k < std::min(kShown, dead.size()); ++k) {
    places.push_back(fmt::format("{} in slice {}", dead[k].beamlet, slices_.first + dead[k].slice));
  }
  if (dead.size() > kShown) places.emplace_back("...");
  warn(
      fmt::format("{} beamlet{} the same value at all angles: {}; bad_values = \"mask\" leaves "
                  "such beamlets out",
                  dead.size(), dead.size() == 1 ? " has" : "s have", fmt::join(places, ", ")));
}

// ---- normalization -----------------------------------------------------------------------------

std::vector<double> Preparing::average(const Frames* frames) const {
  if (frames == nullptr) return std::vector<double>(s_.beamlets * s_.slices());
  Binning how = binning();
  how.saturation = how_.saturation;
  BinnedFrames binned = read_binned(*frames, how);
  Sinogram read(s_.beamlets, std::move(binned.values), slices_.first);
  mark_not_finite(read);
  refuse(read, Flaw::kNotFinite, *frames, "finite values", "NaN or infinite values", "frame");
  for (std::size_t k = 0; k < binned.saturated.size(); ++k) {
    if (binned.saturated[k] != 0) read.value(k) = std::numeric_limits<float>::quiet_NaN();
  }
  // Zingers hit white and dark frames, too; with them, the median is worth its larger noise.
  const bool median = how_.zingers && read.angles >= 3;
  return average_frame(read.values, s_.beamlets, median);
}

void Preparing::refuse_white(const std::vector<double>& white,
                             const std::vector<double>& dark) const {
  Sinogram beam(s_.beamlets, Block(s_.beamlets, s_.slices()), slices_.first);
  for (std::size_t k = 0; k < beam.size(); ++k) {
    beam.value(k) = static_cast<float>(white[k] - dark[k]);
    if (!(white[k] > dark[k])) beam.mark(k, Flaw::kNoBeam);
  }
  refuse(beam, Flaw::kNoBeam, *source_.scan.white, "white above dark, on the average of the frames",
         "differences that are not positive, or of white that is always saturated", "mean frame");
}

void Preparing::refuse_monitor(const Block& monitor) const {
  Sinogram beam(s_.beamlets, monitor, slices_.first);
  for (std::size_t k = 0; k < beam.size(); ++k) {
    if (!(beam.value(k) > 0) || !std::isfinite(beam.value(k))) beam.mark(k, Flaw::kNoBeam);
  }
  refuse(beam, Flaw::kNoBeam, *source_.scan.monitor, "a positive beam",
         "values that are not positive and finite");
}

void Preparing::normalize_transmission() {
  const Scan& scan = source_.scan;
  std::string& by = result_.report.normalized;
  const std::vector<double> dark = average(scan.dark.get());
  if (scan.dark) {
    counts_.dark = dark;
    counts_.dark_frames = static_cast<double>(scan.dark->frames());
  }
  if (scan.white && how_.normalize != "monitor") {
    by = "flat";
    counts_.white_frames = static_cast<double>(scan.white->frames());
    const std::vector<double> white = average(scan.white.get());
    refuse_white(white, dark);
    divide_by_white(white, dark, s_);
    if (!source_.entry.monitor.empty() && how_.normalize == "auto") {
      warn(
          "the monitor is not used, because there are white frames; normalize = \"monitor\" uses "
          "it");
    }
  } else if (scan.monitor) {
    by = "monitor";
    const Block monitor = read_binned(*scan.monitor, binning()).values;
    refuse_monitor(monitor);
    divide_by_monitor(monitor, dark, s_);
  } else {
    subtract_dark(dark, s_);
  }
  if (how_.air == 0) return;
  by = by == "none" ? "air" : by + ", air";
  divide_by_air(static_cast<std::size_t>(how_.air), s_);
  refuse(s_, Flaw::kNoBeam, *scan.data, "air that is above 0 beside the object",
         "values in rows without");
}

void Preparing::normalize() {
  if (how_.normalize == "none") return;
  if (source_.entry.kind == "xrt") {
    if (how_.minus_log) normalize_transmission();
    return;
  }
  if (!source_.scan.monitor) return;
  const Block monitor = read_binned(*source_.scan.monitor, binning()).values;
  refuse_monitor(monitor);
  // Of all slices of the study, whichever are prepared now.
  const Binning all = binning_of({0, static_cast<std::size_t>(source_.file.slices)});
  relate_to_monitor(monitor, mean_of_positive(*source_.scan.monitor, all), s_);
  mark_not_finite(s_);
  refuse(s_, Flaw::kNotFinite, *source_.scan.data, "finite values relative to the monitor",
         "values that are not");
  result_.report.normalized = "monitor";
}

void Preparing::take_transmissions() {
  const Clipped clipped = clip(how_.clip_low, how_.clip_high, s_);
  result_.report.clipped_low = clipped.low;
  result_.report.clipped_high = clipped.high;
  warn(warn_transmissions(s_));
  if (result_.report.normalized == "monitor") warn(warn_monitor(s_));
  take_logarithm(s_);
  refuse(s_, Flaw::kNotPositive, *source_.scan.data,
         "a positive transmission (data - dark) / (white - dark)", "values that are not");
}

// ---- axis, weights -----------------------------------------------------------------------------

void Preparing::find_axis() {
  const SiteEntry& entry = source_.entry;
  const double binning = entry.binning;
  const auto beamlets = static_cast<double>(s_.beamlets);
  const double width = entry.axis_search.value_or(source_.middle() / 2) / binning;
  const AxisRange range{source_.middle() / binning, std::min(width, beamlets)};
  Geometry& g = result_.site.geometry;
  const RotationAxis found = find_rotation_axis(s_, g.angles, g.shifts, range);
  // Short, so that it is written down exactly; in beamlets of the file, as in a study.
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

void Preparing::finish() {
  PreparationReport& r = result_.report;
  r.values = s_.size();
  r.missing = s_.count(Flaw::kMissing);
  r.saturated = s_.count(Flaw::kSaturated);
  r.zingers = s_.count(Flaw::kZinger);
  r.not_finite = s_.count(Flaw::kNotFinite);
  r.no_beam = s_.count(Flaw::kNoBeam);
  r.not_positive = s_.count(Flaw::kNotPositive);
  r.dead = s_.count(Flaw::kDead);
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

void Preparing::find_noise() {
  const SiteEntry& entry = source_.entry;
  const Counted counted{counts_.values, counts_.binned, counts_.dark, counts_.dark_frames,
                        counts_.white_frames};
  const Block deviation = counted_deviation(entry, counted, result_.data.values);
  const std::string warning = apply_noise(entry, deviation, result_.site, result_.data);
  if (entry.noise != Noise::kGiven) result_.report.noise = NoiseReport{result_.site.sigma, warning};
}

}  // namespace

PreparedSite prepare_site(const StudyFile& file, const SiteEntry& entry, const std::string& path,
                          const SliceRange& slices) {
  const SiteSource source = open_site(file, entry, path);
  return Preparing(source, slices).run();
}

}  // namespace firm
