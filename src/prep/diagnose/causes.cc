#include "prep/diagnose/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "io/formats/data_units.h"
#include "prep/diagnose/axis_check.h"
#include "prep/diagnose/coarse_site.h"
#include "prep/diagnose/image_reach.h"
#include "prep/diagnose/site_comparison.h"
#include "prep/diagnose/value_kind.h"
#include "prep/diagnose/value_summary.h"

namespace firm {
namespace {

constexpr double kPi = std::numbers::pi;
// A change of rays is a cause if it leaves less than this share of what XRF misses of XRT.
constexpr double kShare = 0.65;

// The order of docs/data.md, in which causes that fit equally well and untested ones are listed.
enum Place {
  kSide,
  kRadians,
  kLogarithm,
  kMirror,
  kImage,
  kPixelSize,
  kAxis,
  kStage,
  kCalibration,
  kDetector,
  kElement,
  kOtherMatter,
};

// A few of the slices, evenly spaced: the same of all sites.
SiteData some_slices(const SiteData& all) {
  constexpr std::size_t kMost = 6;
  const std::vector<std::size_t> slices = evenly_spaced(all.values.columns(), kMost);
  const auto chosen = [&](const Block& from) {
    Block to(from.rows(), from.rows() > 0 ? slices.size() : 0);
    for (std::size_t row = 0; row < from.rows(); ++row) {
      for (std::size_t z = 0; z < slices.size(); ++z) to(row, z) = from(row, slices[z]);
    }
    return to;
  };
  return {all.site, chosen(all.values), chosen(all.weights), all.largest};
}

// Collects causes of one site.
class CauseFinder {
 public:
  CauseFinder(const Site& site, const SiteData& data, const CauseHints& hints)
      : site_(site),
        data_(data),
        hints_(hints),
        sigma_(hints.sigma > 0 ? hints.sigma : noise_of(site, data)),
        coarse_(coarse_site(site, data, sigma_)),
        now_(fit_coarse(coarse_)) {}

  bool any_signal() const { return now_.misfit > 0; }

  void test_angles();
  // Returns whether the logarithm is missing or taken twice, which explains all else.
  bool test_logarithm();
  void test_axis();
  void test_image(const Site* xrt, const SiteData* xrt_data);
  void compare_with(const Site& xrt, const SiteData& xrt_data);
  // Lists the side of the detector, or of all that self-absorption is computed from.
  void list_absorption();
  // Compares XRT with the others.
  void compare_with_xrf();
  void list(Place place, std::string text) {
    found_.push_back({place, {std::move(text), false, 0}});
  }

  std::vector<Cause> causes();

 private:
  struct Found {
    Place place;
    Cause cause;
  };

  void add(Place place, double fit, std::string text) {
    found_.push_back({place, {std::move(text), true, fit}});
  }
  // Whether a fit misses half of the energy that the fit without a correction misses, or less.
  bool helps(const CoarseFit& changed) const {
    constexpr double kLeast = 1e-3;
    return changed.misfit < 0.5 * now_.misfit && now_.misfit - changed.misfit > kLeast;
  }
  void add_scale(double scale, const char* precision, double fit);

  const Site& site_;
  const SiteData& data_;
  const CauseHints& hints_;
  double sigma_;
  CoarseSite coarse_;
  CoarseFit now_;
  std::vector<Found> found_;
};

void CauseFinder::test_angles() {
  constexpr double kTurn = 2 * kPi;
  const auto [low, high] = std::ranges::minmax(site_.geometry.angles);
  const double span = high - low;
  const bool radians = span > 0 && span <= kTurn * kPi / 180 * 1.01;
  const bool degrees = hints_.read_as_radians && span > 2 * kTurn;
  if (!radians && !degrees) return;
  Site changed = site_;
  for (double& angle : changed.geometry.angles) angle *= radians ? 180 / kPi : kPi / 180;
  CoarseFit fit = fit_coarse(coarse_site(changed, data_, sigma_));
  if (hints_.axis_found) {  // with the wrong angles, so it is wrong, too
    changed.geometry.rotation_axis = changed.geometry.beamlets / 2.0;
    changed.geometry.rotation_axis =
        far_better_axis(changed, data_).value_or(changed.geometry.rotation_axis);
    const CoarseFit other = fit_coarse(coarse_site(changed, data_, sigma_));
    if (other.misfit < fit.misfit) fit = other;
  }
  // A few degrees contradict each other little: the same misfit over a half turn is better.
  if (!(radians ? fit.misfit < std::max(2 * now_.misfit, 0.05) : helps(fit))) return;
  add(kRadians, fit.fit,
      radians ? "angles are in radians, not degrees: angle_unit = \"rad\""
              : "angles are in degrees, not radians: angle_unit = \"deg\"");
}

bool CauseFinder::test_logarithm() {
  if (site_.kind != SiteKind::kXrt) return false;
  SiteData changed;
  changed.values = Block(data_.values.rows(), data_.values.columns());
  changed.weights = Block(data_.values.rows(), data_.values.columns());
  for (std::size_t k = 0; k < data_.values.size(); ++k) {
    const float b = data_.values.data()[k];
    const bool usable = data_.weights.rows() == 0 || data_.weights.data()[k] > 0;
    if (!usable || (!hints_.minus_log && !(b > 0))) continue;
    changed.values.data()[k] = hints_.minus_log ? std::exp(-b) : -std::log(b);
    changed.weights.data()[k] = 1;
  }
  const CoarseFit fit = fit_coarse(coarse_site(site_, changed, noise_of(site_, changed)));
  const ValueSummary v = summarize_values(site_, data_);
  const ValueKind kind = kind_of_values(v, hints_.minus_log);
  const bool looks = kind == ValueKind::kTransmissions || kind == ValueKind::kLogarithms;
  if (!looks && !(helps(fit) && fit.misfit < 0.1)) return false;
  // A wide image can imitate values of 1 beside the object.
  if (looks && fit.misfit > std::max(2 * now_.misfit, 0.3)) return false;
  add(kLogarithm, fit.fit,
      hints_.minus_log
          ? "the logarithm is taken twice: set minus_log = false"
          : "the values are transmissions without the logarithm: set minus_log = true and "
            "normalize = \"none\"");
  return true;
}

void CauseFinder::test_axis() {
  if (hints_.axis_found) return;
  const auto axis = far_better_axis(site_, data_);
  if (!axis) return;
  Site changed = site_;
  changed.geometry.rotation_axis = *axis;
  const CoarseFit fit = fit_coarse(coarse_site(changed, data_, sigma_));
  if (fit.misfit > now_.misfit) return;
  add(kAxis, fit.fit,
      fmt::format("the rotation axis is near {:.4g} beamlets, not {:.6g}: set rotation_axis = "
                  "\"auto\", or to the number",
                  *axis * hints_.binning, site_.geometry.rotation_axis * hints_.binning));
}

void CauseFinder::add_scale(double scale, const char* precision, double fit) {
  const std::string times = fmt::format("{} {:.2g}", precision, scale < 1 ? 1 / scale : scale);
  add(kPixelSize, fit,
      fmt::format("the beamlets are {} times as {} as the study says: correct spacing of the site, "
                  "or pixel_size",
                  times, scale < 1 ? "narrow" : "wide"));
}

void CauseFinder::test_image(const Site* xrt, const SiteData* xrt_data) {
  const Signal signal = find_signal(site_, data_);
  if (signal.missing == 0) return;
  const Geometry& g = site_.geometry;
  Site larger = site_;
  larger.geometry.image_rows = larger.geometry.image_columns =
      static_cast<int>(std::ceil(signal.side / g.pixel_size));
  const CoarseFit fit = fit_coarse(coarse_site(larger, data_, sigma_));
  if (!helps(fit)) return;
  // XRT sees all that XRF sees. If all of that is within the image, so is this element.
  const bool within = xrt != nullptr && find_signal(*xrt, *xrt_data).missing == 0;
  if (!within) {
    add(kImage, fit.fit,
        fmt::format("the image is smaller than the object: set rows and columns to at least {}",
                    larger.geometry.image_rows));
  }
  add_scale(smaller_side(g) / signal.side, "at least", fit.fit);
}

void CauseFinder::compare_with(const Site& xrt, const SiteData& xrt_data) {
  if (!found_.empty()) return;  // the image of the site is wrong in any case
  std::vector<const Site*> sites{&site_};
  std::vector<const SiteData*> data{&data_};
  sites.insert(sites.end(), hints_.others.begin(), hints_.others.end());
  data.insert(data.end(), hints_.others_data.begin(), hints_.others_data.end());
  using Factors = SiteComparison::Factors;
  const SiteComparison comparison(sites, data, xrt, xrt_data,
                                  hints_.others.empty() ? Factors::kFree : Factors::kLimited);
  constexpr double kNoWorse = 1.1;
  if (comparison.demanded_change_of_xrt(kShare)) return;
  if (const auto change = comparison.demanded_change(0, kShare)) {
    add(kMirror, now_.fit,
        fmt::format("its detector or its angles run the other way than those of {0}: it fits {0} "
                    "with {1}",
                    xrt.name, comparison.text_of(0, *change)));
    return;
  }
  if (const auto scale = comparison.demanded_scale(0)) {
    Site changed = site_;
    changed.geometry.spacing *= *scale;
    const CoarseFit fit = fit_coarse(coarse_site(changed, data_, sigma_));
    if (fit.fit <= kNoWorse * now_.fit) add_scale(*scale, "about", fit.fit);
  }
}

void CauseFinder::compare_with_xrf() {
  if (!found_.empty()) return;
  const SiteComparison comparison(hints_.others, hints_.others_data, site_, data_);
  const auto change = comparison.demanded_change_of_xrt(kShare);
  if (!change) return;
  add(kMirror, now_.fit,
      fmt::format("its detector or its angles run the other way than those of the other sites: it "
                  "fits them with {}",
                  comparison.text_of(comparison.count(), *change)));
}

// Over a whole turn, the middle of the fluorescence is off the axis towards the detector, because
// what leaves the object on its far side is absorbed most.
void CauseFinder::list_absorption() {
  constexpr double kNearly = 0.9;  // of a turn
  constexpr double kClear = 0.05;  // of the width of the signal
  const Geometry& g = site_.geometry;
  const auto [low, high] = std::ranges::minmax(g.angles);
  if (site_.fluorescence && high - low > kNearly * 2 * kPi) {
    double sum = 0;
    double first = 0;
    double second = 0;
    for (std::size_t ray = 0; ray < data_.values.rows(); ++ray) {
      const double t =
          static_cast<double>(ray % static_cast<std::size_t>(g.beamlets)) + 0.5 - g.rotation_axis;
      for (std::size_t z = 0; z < data_.values.columns(); ++z) {
        if (data_.weights.rows() > 0 && !(data_.weights(ray, z) > 0)) continue;
        const auto b = static_cast<double>(data_.values(ray, z));
        sum += b;
        first += b * t;
        second += b * t * t;
      }
    }
    double side = 0;
    for (const auto& d : site_.fluorescence->path.detectors) side += d.weight * std::cos(d.angle);
    if (sum > 0 && second > 0 && first * side < -kClear * std::sqrt(second * sum)) {
      return list(kSide,
                  fmt::format("detector_side is wrong: the fluorescence is strongest towards "
                              "{0} beamlets, so set detector_side = \"{1}\"",
                              side < 0 ? "larger" : "smaller", side < 0 ? "+t" : "-t"));
    }
  }
  list(kDetector,
       "detector_side, beam_direction or line of an XRF site is wrong, or matrix of [study]: "
       "self-absorption is computed from them");
}

std::vector<Cause> CauseFinder::causes() {
  std::ranges::stable_sort(found_, [](const Found& a, const Found& b) {
    if (a.cause.tested != b.cause.tested) return a.cause.tested;
    if (a.cause.fit != b.cause.fit) return a.cause.fit < b.cause.fit;
    return a.place < b.place;
  });
  std::vector<Cause> causes;
  for (Found& f : found_) causes.push_back(std::move(f.cause));
  return causes;
}

}  // namespace

CauseHints cause_hints(const StudyFile& file, const SiteEntry& entry, const std::string& unit) {
  CauseHints hints;
  hints.minus_log = entry.prepare.minus_log;
  hints.axis_found = entry.find_rotation_axis;
  hints.shifted = !entry.shifts.empty();
  // A factor of 1 for data without a unit is a guess of `firm init`.
  const auto calibrated = [](const SiteEntry& e) { return e.prepare.scale.value_or(1) != 1; };
  hints.calibrated =
      entry.kind == "xrt"
          ? std::ranges::all_of(
                file.sites, [&](const SiteEntry& e) { return e.kind == "xrt" || calibrated(e); })
          : calibrated(entry) || xrf_unit(unit).warning.empty();
  hints.read_as_radians = entry.angle_unit == "rad";
  hints.other = file.other;
  hints.absorbed = file.self_absorption;
  hints.binning = entry.binning;
  return hints;
}

std::vector<Cause> likely_causes(const Site& site, const SiteData& all_data, const Site* xrt,
                                 const SiteData* all_xrt_data, const CauseHints& all_hints) {
  const SiteData data = some_slices(all_data);
  std::optional<SiteData> some_xrt;
  if (all_xrt_data != nullptr) some_xrt = some_slices(*all_xrt_data);
  const SiteData* xrt_data = some_xrt ? &*some_xrt : nullptr;
  CauseHints hints = all_hints;
  std::vector<SiteData> others;
  others.reserve(hints.others_data.size());
  for (const SiteData*& other : hints.others_data) {
    others.push_back(some_slices(*other));
    other = &others.back();
  }
  CauseFinder finder(site, data, hints);
  const bool is_xrt = site.kind == SiteKind::kXrt;
  // Fits and images without absorption say little about fluorescence that is absorbed.
  const bool comparable = !hints.absorbed;
  const bool compared = comparable && !is_xrt && xrt != nullptr && xrt_data != nullptr;
  const bool compared_with_xrf = comparable && is_xrt && hints.others.size() > 1;
  if (finder.any_signal() && !finder.test_logarithm()) {
    finder.test_angles();
    if (is_xrt || comparable) finder.test_axis();
    finder.test_image(compared ? xrt : nullptr, compared ? xrt_data : nullptr);
    if (compared) finder.compare_with(*xrt, *xrt_data);
    if (compared_with_xrf) finder.compare_with_xrf();
  }
  if (!compared && !compared_with_xrf) {
    finder.list(kMirror,
                "the detector or the angles run the other way than those of other sites: "
                "angle_offset = \"180 deg\" mirrors a detector, reverse_angles = true reverses "
                "angles");
  }
  if (!hints.shifted) {
    finder.list(kStage,
                fmt::format("the stage moved during the scan, the axis is elsewhere, or a detector "
                            "lags: --refine shifts,axis{} finds out",
                            hints.absorbed ? "" : ",lag"));
  }
  if (!compared) {
    finder.list(kPixelSize, "spacing of the site, or pixel_size of the image, is wrong");
  }
  if (!hints.calibrated) {
    finder.list(kCalibration, is_xrt ? "XRF sites are not calibrated: firm calibrate finds scale"
                                     : "the data is not calibrated: firm calibrate finds scale");
  }
  if (hints.absorbed) finder.list_absorption();
  finder.list(kElement, is_xrt ? "element, compound or coefficient of an XRF site, or energy, is "
                                 "wrong"
                               : "element, compound, coefficient or energy is wrong");
  if (is_xrt && !hints.other) {
    finder.list(kOtherMatter, "there is matter that no XRF site sees: set other = true in [study]");
  }
  return finder.causes();
}

}  // namespace firm
