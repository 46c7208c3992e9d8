#include "federation/protocol/member_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "federation/protocol/exchange.h"
#include "firm/error.h"
#include "firm/geometry.h"

namespace firm {
namespace {

// Far beyond every scan, but finite in every product of a projector.
constexpr double kLargestAngle = 1e6;    // radians
constexpr double kFarthest = 10;         // axis and shifts, in widths of the detector
constexpr double kLargestSigma = 1e100;  // and smallest: 1e-100

// Beyond every detector, unless as many cover a large image with 64 to a pixel. More would only
// lengthen the sums that refine scales, and so the memory of all sites.
constexpr double kMostBeamlets = 65536;
constexpr double kMostPerPixel = 64;

constexpr std::size_t kMostCheckpoints = 64;
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestTerm = 4096;

[[noreturn]] void refuse(const std::string& what, const std::string& site,
                         const std::string& expected, double found) {
  throw Error(Error::Kind::kNetwork,
              fmt::format("{} of {}: expected {}, found {}", what, site, expected, found));
}

void check_values(const google::protobuf::RepeatedField<double>& values, double most,
                  const std::string& site, const std::string& field, const std::string& unit) {
  const auto wrong =
      std::find_if(values.begin(), values.end(), [&](double x) { return !(std::abs(x) <= most); });
  if (wrong == values.end()) return;
  refuse("geometry", site,
         fmt::format("{}[{}] to be a finite number of at most {} {}", field, wrong - values.begin(),
                     most, unit),
         *wrong);
}

void check_geometry(const v1::Geometry& g, const StudyFile& file, const std::string& site) {
  const std::uint64_t rays = rays_in(g);
  if (rays == 0 || rays > kMostRays) {
    refuse("geometry", site, fmt::format("angles and beamlets, at most {} rays", kMostRays),
           static_cast<double>(rays));
  }
  const double most = std::max(kMostBeamlets, kMostPerPixel * std::hypot(file.rows, file.columns));
  if (g.beamlets() > most) {
    refuse("geometry", site, fmt::format("at most {:.0f} beamlets", most), g.beamlets());
  }
  check_values(g.angles(), kLargestAngle, site, "angles", "radians");
  const double ratio = g.spacing() / file.pixel_size;
  if (!(ratio >= 1 / kMostWidthRatio && ratio <= kMostWidthRatio)) {
    refuse("geometry", site, "a positive spacing in cm, not far from the pixel size", g.spacing());
  }
  const double farthest = kFarthest * (g.beamlets() + 1.0);
  if (!(std::abs(g.rotation_axis()) <= farthest)) {
    refuse("geometry", site, fmt::format("a rotation axis of at most {} beamlets", farthest),
           g.rotation_axis());
  }
  if (g.shifts_size() != 0 && g.shifts_size() != g.angles_size()) {
    refuse("geometry", site,
           fmt::format("no shifts, or one for each of {} angles", g.angles_size()),
           g.shifts_size());
  }
  check_values(g.shifts(), farthest, site, "shifts", "beamlets");
}

void check_noise(const v1::Noise& noise, const SiteEntry& entry) {
  const double sigma = noise.sigma();
  if (entry.noise == Noise::kGiven) {
    if (sigma == entry.sigma_value()) return;
    refuse("noise", entry.name, fmt::format("sigma {} as in the study", entry.sigma_value()),
           sigma);
  }
  if (sigma >= 1 / kLargestSigma && sigma <= kLargestSigma) return;
  refuse("noise", entry.name, "a finite sigma above 0", sigma);
}

std::optional<std::string> too_many(const char* field, std::size_t most, std::size_t found) {
  if (found <= most) return {};
  return fmt::format("{}: expected at most {}, found {}", field, most, found);
}

}  // namespace

void check_member(const StudyFile& file, const std::string& site, const v1::Geometry& geometry,
                  const v1::Noise& noise) {
  const auto entry = std::ranges::find(file.sites, site, &SiteEntry::name);
  FIRM_CHECK(entry != file.sites.end());
  check_noise(noise, *entry);
  check_geometry(geometry, file, site);
}

std::optional<std::string> oversized_field(const v1::Hello& hello, std::size_t terms) {
  std::size_t longest = 0;
  for (const v1::Term& term : hello.terms()) {
    longest = std::max({longest, term.field().size(), term.value().size()});
  }
  const auto size = [](int count) { return static_cast<std::size_t>(count); };
  for (const auto& wrong :
       {too_many("bytes of the version", kLongestName, hello.software().size()),
        too_many("bytes of the site's name", kLongestName, hello.site().size()),
        too_many("bytes of the run's name", kLongestName, hello.run().size()),
        too_many("checkpoints", kMostCheckpoints, size(hello.checkpoints_size())),
        // Another study may have more terms, and the site should learn which.
        too_many("terms of the study", 2 * terms + 100, size(hello.terms_size())),
        too_many("bytes of a term of the study", kLongestTerm, longest)}) {
    if (wrong) return wrong;
  }
  return {};
}

}  // namespace firm
