#include "run/store/identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/interruption.h"
#include "firm/version.h"
#include "io/files/sha256.h"

namespace firm {
namespace {

bool belongs_to_identity(const std::string& key) {
  constexpr std::array kFree = {"stop.rounds", "stop.seconds", "stop.objective", "stop.kkt",
                                "stop.change", "stop.step",    "threads",        "seed"};
  return std::find(kFree.begin(), kFree.end(), key) == kFree.end();
}

std::string fluorescence_text(const Fluorescence& f) {
  std::string text = fmt::format("absorption {} keV {} keV beam {} to", f.incident_energy,
                                 f.line_energy, f.path.beam);
  for (const FluorescencePath::Direction& d : f.path.detectors) {
    text += fmt::format(" {} {}", d.angle, d.weight);
  }
  return text + fmt::format(" coefficients {} and {}\n", fmt::join(f.incident, " "),
                            fmt::join(f.line, " "));
}

// Gigabytes take seconds: the user may interrupt between two pieces.
void add(Sha256& hash, std::span<const float> values) {
  constexpr std::size_t kPiece = std::size_t{1} << 22;
  for (std::size_t at = 0; at < values.size(); at += kPiece) {
    check_interruption();
    hash.add(std::as_bytes(values.subspan(at, std::min(kPiece, values.size() - at))));
  }
}

}  // namespace

std::string fingerprint(const Block& block) {
  Sha256 hash;
  add(hash, block.values());
  return hash.finish();
}

std::string fingerprint(const SiteData& data) {
  Sha256 hash;
  add(hash, data.values.values());
  add(hash, data.weights.values());
  return hash.finish();
}

std::string fingerprint(const Geometry& g) {
  std::string text = fmt::format("{} {} {} {} {} {}", g.image_rows, g.image_columns, g.pixel_size,
                                 g.beamlets, g.spacing, g.rotation_axis);
  for (const double angle : g.angles) text += fmt::format(" {}", angle);
  for (const double shift : g.shifts) text += fmt::format(" {}", shift);
  Sha256 hash;
  hash.add(text);
  return hash.finish();
}

std::string run_identity(const Study& study, const SolveOptions& options,
                         const std::vector<std::string>& fingerprints) {
  std::string text = fmt::format("version {}\n", kVersion);
  for (const OptionText& option : describe_options(options)) {
    if (belongs_to_identity(option.key)) text += fmt::format("{} = {}\n", option.key, option.value);
  }
  text += fmt::format("other = {}\n", study.other);
  if (options.prior.slices) text += fmt::format("slice spacing = {}\n", study.slice_spacing);
  for (std::size_t i = 0; i < study.sites.size(); ++i) {
    const Site& site = study.sites[i];
    text += fmt::format("site {} coefficient {} sigma {}{} geometry {} data {}\n", site.name,
                        site.coefficient, site.sigma, site.weighted_values ? " weighted" : "",
                        fingerprint(site.geometry), fingerprints[i]);
    if (site.fluorescence) text += fluorescence_text(*site.fluorescence);
  }
  return text;
}

}  // namespace firm
