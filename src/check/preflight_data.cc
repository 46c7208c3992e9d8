// Data files, and the memory for them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "core/byte_size.h"
#include "io/files/image_file.h"
#include "io/inspect/inspect.h"
#include "io/study/quantity.h"
#include "prep/load_study.h"
#include "prep/estimate_unknowns.h"
#include "run/shard/chunks.h"
#include "run/memory/needs.h"
#include "check/preflight_checks.h"
#include "run/memory/run_needs.h"

namespace firm::preflight_checks {
namespace {

std::string subject_of(const SiteEntry& entry) { return fmt::format("data of {}", entry.name); }

bool is_there(const Context& c, const SiteEntry& entry) {
  std::error_code ignored;
  return std::filesystem::exists(
      std::filesystem::path(c.arguments.study).parent_path() / entry.data, ignored);
}

// ---- geometry ----------------------------------------------------------------------------------

// Angles in radians that are taken for degrees.
void warn_angles(const Context& c, const SiteEntry& entry, const AngleReport& angles) {
  constexpr double kTurnInRadians = 2 * std::numbers::pi;
  if (angles.count < 4 || angles.max - angles.min > kTurnInRadians) return;
  c.findings.warning(subject_of(entry),
                     fmt::format("{} angles from {:.4g} to {:.4g} degrees: radians?", angles.count,
                                 angles.min, angles.max),
                     "the attribute units = \"rad\" at the angles, if that is what they are");
}

void warn_detector(const Context& c, const SiteEntry& entry, const Geometry& g) {
  if (g.rotation_axis < 0 || g.rotation_axis > g.beamlets) {
    c.findings.warning(subject_of(entry),
                       fmt::format("rotation axis at {:.6g}, outside the detector of {} beamlets",
                                   g.rotation_axis, g.beamlets),
                       "rotation_axis of the site in the study: in beamlets, 0 is the left edge");
  }
  const double width = g.beamlets * g.spacing;
  const double image = std::min(g.image_rows, g.image_columns) * g.pixel_size;
  if (width < image / 2) {
    c.findings.warning(subject_of(entry),
                       fmt::format("a detector of {}, less than half of the image of {}",
                                   length_text(width), length_text(image)),
                       "spacing of the site, pixel_size, rows and columns in the study");
  }
}

// As a run takes it: with the axis that is found, and room for weights where there may be some.
// What is wrong with the values that an axis is looked for in, check_values tells.
Site site_as_run(const Context& c, const StudyFile& file, const SiteEntry& entry) {
  StudyFile own = file;
  own.sites = {entry};
  try {
    if (entry.find_rotation_axis) own = estimate_unknowns(own, c.arguments.study).file;
  } catch (const Error&) {
    own.sites = {entry};
  }
  Site site = load_site(own, own.sites.front(), c.arguments.study);
  site.weighted_values = may_have_weights(own, entry.name);
  return site;
}

// None when the file does not fit the study.
std::optional<Site> check_geometry(const Context& c, const StudyFile& file,
                                   const SiteEntry& entry) {
  try {
    Site site = site_as_run(c, file, entry);
    site.geometry.validate();
    const Geometry& g = site.geometry;
    std::vector<double> degrees;
    for (const double angle : g.angles) degrees.push_back(angle * 180 / std::numbers::pi);
    const AngleReport angles = inspect_angles(degrees);
    c.findings.ok(subject_of(entry),
                  fmt::format("{} angles from {:.4g} to {:.4g} degrees, {} beamlets of {}, {} "
                              "slice{}",
                              angles.count, angles.min, angles.max, g.beamlets,
                              length_text(g.spacing), file.slices, file.slices == 1 ? "" : "s"));
    warn_angles(c, entry, angles);
    warn_detector(c, entry, g);
    return site;
  } catch (const Error& e) {
    c.findings.wrong(Error::Kind::kData, subject_of(entry), e.what(),
                     is_there(c, entry)
                         ? "firm inspect FILE tells what is in it, docs/formats.md what is read"
                         : "the file where the study says, or its name with --name SITE --data");
    return {};
  }
}

// ---- values ------------------------------------------------------------------------------------

// With the axis that was found, the site that a run will have.
void check_values(const Context& c, const StudyFile& file, const SiteEntry& entry, Site& site) {
  try {
    const PreparedSite prepared = estimate_and_prepare(file, entry, c.arguments.study);
    site = prepared.site;
    const auto values = prepared.data.values.values();
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const std::string done = preparation_text(prepared.report);
    if (!done.empty()) c.findings.ok(subject_of(entry), done);
    for (const std::string& warning : prepared.report.all_warnings()) {
      c.findings.warning(subject_of(entry), warning, "the site's keys in the study; docs/data.md");
    }
    if (*low == *high) return;  // there is a warning
    c.findings.ok(subject_of(entry), fmt::format("{} values, all finite, from {:.4g} to {:.4g}",
                                                 values.size(), *low, *high));
  } catch (const Error& e) {
    c.findings.wrong(
        Error::Kind::kData, subject_of(entry), e.what(),
        "a file without such values, or what the study says about it; docs/formats.md, "
        "Study");
  }
}

// ---- memory ---------------------------------------------------------------------------

// All sites in one process, as in `firm recon`.
std::uint64_t needed_together(const StudyToCheck& study, std::vector<Site> sites) {
  std::stable_partition(sites.begin(), sites.end(),
                        [](const Site& site) { return site.kind == SiteKind::kXrf; });
  Study all = study_without_sites(study.file);
  all.sites = std::move(sites);
  const auto chunks = cut_slices(all.slices, static_cast<std::size_t>(study.options.chunks));
  return run_needs(study.options, all, !study.file.truth.empty()).bytes(chunks.back().count);
}

// Whether the data can be read.
bool check_memory(const Context& c, const StudyToCheck& study, const std::vector<Site>& sites) {
  const bool together = !c.arguments.site() && sites.size() == study.file.sites.size();
  std::uint64_t needed = together ? needed_together(study, sites) : 0;
  for (const Site& site : sites) {
    if (!together) needed += memory_needed(study.options.method, site_size(study.file, site));
  }
  const std::string text =
      fmt::format("expected {} for {}, found {} available", byte_size_text(needed),
                  study.options.method, byte_size_text(c.machine.memory));
  const std::string fix = fmt::format(
      "{}fewer slices, a machine or a job with more memory, or method firm, which "
      "needs least",
      together ? "firm recon --max-memory, which solves some slices at a time; " : "");
  if (needed > c.machine.memory) {
    c.findings.wrong(Error::Kind::kData, "memory", text, fix);
    return false;
  }
  if (needed > c.machine.memory / 10 * 9) {
    c.findings.warning("memory", text, fix);
  } else {
    c.findings.ok("memory", fmt::format("about {} needed, {} available", byte_size_text(needed),
                                        byte_size_text(c.machine.memory)));
  }
  return true;
}

}  // namespace

std::vector<Site> check_data(const Context& c, const StudyToCheck& study) {
  const std::string doubt = warn_noise(study.file);
  if (!doubt.empty())
    c.findings.warning("noise", doubt, "sigma of the sites in the study; docs/data.md");
  std::vector<Site> known;
  std::vector<const SiteEntry*> entries;
  bool any = false;
  for (const SiteEntry& entry : study.file.sites) {
    if (c.arguments.site() && entry.name != c.arguments.name) continue;
    if (c.arguments.coordinator() && !is_there(c, entry)) continue;
    any = true;
    if (const auto site = check_geometry(c, study.file, entry)) {
      known.push_back(*site);
      entries.push_back(&entry);
    }
  }
  if (!any) c.findings.ok("data", "none here, as it may be at a coordinator");
  if (known.empty()) return known;
  if (!c.arguments.coordinator() && !check_memory(c, study, known)) return known;
  for (std::size_t k = 0; k < known.size(); ++k) check_values(c, study.file, *entries[k], known[k]);
  return known;
}

void check_truth(const Context& c, const StudyToCheck& study) {
  const StudyFile& file = study.file;
  const ImageGrid grid{static_cast<std::size_t>(file.rows), static_cast<std::size_t>(file.columns),
                       file.pixel_size};
  try {
    for (const SiteEntry& entry : file.sites) {
      if (c.arguments.site() && entry.name != c.arguments.name) continue;
      read_images(c.arguments.truth, entry.name, grid, static_cast<std::size_t>(file.slices),
                  {0, 1});
    }
    c.findings.ok("truth", fmt::format("{}: true images to compare with", c.arguments.truth));
  } catch (const Error& e) {
    c.findings.wrong(Error::Kind::kData, "truth", e.what(),
                     "true images on the grid of the study; or no --truth");
  }
}

}  // namespace firm::preflight_checks
