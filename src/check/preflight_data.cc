// Checks data files and the memory that a run needs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numbers>

#include "check/preflight_checks.h"
#include "core/byte_size.h"
#include "io/files/image_file.h"
#include "io/inspect/inspect.h"
#include "io/study/quantity.h"
#include "prep/site_noise.h"
#include "prep/study_data.h"
#include "run/memory/memory_estimate.h"
#include "run/refine_study.h"
#include "run/shard/shard_plan.h"

namespace firm::preflight_checks {
namespace {

std::string subject_of(const SiteEntry& entry) { return fmt::format("data of {}", entry.name); }

bool file_exists(const Context& c, const SiteEntry& entry) {
  std::error_code ignored;
  return std::filesystem::exists(
      std::filesystem::path(c.arguments.study).parent_path() / entry.data, ignored);
}

// ---- geometry ----------------------------------------------------------------------------------

void warn_detector(const Context& c, const SiteEntry& entry, const Geometry& g) {
  const double width = g.beamlets * g.spacing;
  const double image = std::min(g.image_rows, g.image_columns) * g.pixel_size;
  if (width < image / 2) {
    c.findings.warning(subject_of(entry),
                       fmt::format("a detector of {}, less than half of the image of {}",
                                   length_text(width), length_text(image)),
                       "check spacing of the site, pixel_size, rows and columns in the study");
  }
}

// Loads the site as a run does: with the estimated rotation axis, and with room for weights if
// there may be some. Ignores errors in the values used to estimate the axis: check_values reports
// them.
Site site_as_run(const Context& c, const StudyFile& file, const SiteEntry& entry) {
  StudyData data(file, c.arguments.study);
  try {
    if (entry.find_rotation_axis) data.estimate(entry.name);
  } catch (const Error&) {
    // The axis stays in the middle of the detector.
  }
  Site site = data.site(entry.name);
  site.weighted_values = may_have_weights(file, entry.name);
  return site;
}

// Returns nothing when the file does not fit the study.
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
    warn_detector(c, entry, g);
    return site;
  } catch (const Error& e) {
    c.findings.error(
        Error::Kind::kData, subject_of(entry), e.what(),
        file_exists(c, entry)
            ? "firm inspect FILE lists its contents; docs/formats.md describes the formats"
            : "put the file where the study says, or give its name with --name SITE --data");
    return {};
  }
}

// ---- values ------------------------------------------------------------------------------------

// Reports how some slices were prepared. `where`: "slices 0 to 3: ", empty for all.
void report_preparation(const Context& c, const SiteEntry& entry, const PreparationReport& report,
                        const std::string& where) {
  const std::string done = preparation_text(report);
  if (!done.empty()) c.findings.ok(subject_of(entry), where + done);
  for (const std::string& warning : report.all_warnings()) {
    c.findings.warning(subject_of(entry), where + warning,
                       "set the site's keys in the study; see docs/data.md");
  }
}

// Reads the slices chunk by chunk, as the run does. Also replaces `site` by the prepared site, with
// its estimated rotation axis.
void check_values(const Context& c, StudyData& data, const SiteEntry& entry,
                  const std::vector<SliceRange>& chunks, Site& site) {
  try {
    data.refuse_counts(entry.name);
    std::size_t count = 0;
    float low = std::numeric_limits<float>::infinity();
    float high = -low;
    for (const SliceRange& chunk : chunks) {
      const PreparedSite prepared = data.prepare(entry.name, chunk);
      site = prepared.site;
      const auto values = prepared.data.values.values();
      const auto [least, most] = std::ranges::minmax(values);
      low = std::min(low, least);
      high = std::max(high, most);
      count += values.size();
      report_preparation(c, entry, prepared.report,
                         chunks.size() == 1 ? ""
                                            : fmt::format("slices {} to {}: ", chunk.first,
                                                          chunk.first + chunk.count - 1));
    }
    if (low == high) return;  // a warning says so
    c.findings.ok(subject_of(entry),
                  fmt::format("{} values, all finite, from {:.4g} to {:.4g}", count, low, high));
  } catch (const Error& e) {
    c.findings.error(
        Error::Kind::kData, subject_of(entry), e.what(),
        "correct the file, or what the study says about it; see docs/formats.md, Study");
  }
}

// ---- memory ---------------------------------------------------------------------------

// All sites in one process, as in `firm recon`.
Study study_of_all(const StudyToCheck& study, std::vector<Site> sites) {
  std::stable_partition(sites.begin(), sites.end(),
                        [](const Site& site) { return site.kind == SiteKind::kXrf; });
  Study all = study_without_sites(study.file);
  all.sites = std::move(sites);
  return all;
}

MemoryEstimate memory_of_all(const Context& c, const StudyToCheck& study, const Study& all) {
  const bool truth = !truth_path(study.file, c.arguments.study, c.arguments.truth).empty();
  return estimate_memory(study.options, all,
                         {.truth = truth, .refine = needed_refinement(study.file, study.options)});
}

// One site of a federation, which knows no geometry but its own.
std::uint64_t needed_by_site(const StudyToCheck& study, const Site& site) {
  const Study all = study_with_one(study.file, site);
  const std::size_t index = site.kind == SiteKind::kXrt ? all.sites.size() - 1 : 0;
  return estimate_memory(study.options, all,
                         {.sites = {index},
                          .fixed_point = true,
                          .keeps_data = true,
                          .refine = needed_refinement(study.file, study.options)})
      .bytes(all.slices);
}

// Compares the memory of a run that is not cut into chunks to fit with that of the machine. Returns
// whether it is enough.
bool check_available(const Context& c, const StudyToCheck& study, std::uint64_t needed,
                     bool together) {
  const std::string text =
      fmt::format("expected {} for {}, found {} available", byte_size_text(needed),
                  study.options.method, byte_size_text(c.machine.memory));
  const std::string fix = fmt::format(
      "{}use fewer slices, a machine or a job with more memory, or method firm, which needs least",
      together ? "use firm recon --max-memory, which solves some slices at a time; or " : "");
  if (needed > c.machine.memory) {
    c.findings.error(Error::Kind::kData, "memory", text, fix);
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

// Plans the chunks of a run with --max-memory. Returns nothing when there is not enough memory.
std::vector<SliceRange> check_limited(const Context& c, const StudyToCheck& study,
                                      const Study& all) {
  try {
    const ShardPlan plan = plan_in_turn(memory_of_all(c, study, all), all, study.options,
                                        c.arguments.start == RunDirectory::Start::kResume,
                                        {c.arguments.max_memory, c.machine.memory});
    c.findings.ok(
        "memory",
        fmt::format("about {} needed, {} allowed, {} available; {} slice{} in {} chunk{}",
                    byte_size_text(plan.needed), byte_size_text(*c.arguments.max_memory),
                    byte_size_text(c.machine.memory), all.slices, all.slices == 1 ? "" : "s",
                    plan.stages.size(), plan.stages.size() == 1 ? "" : "s"));
    return cut_slices(all.slices, plan.stages.size());
  } catch (const Error& e) {
    c.findings.error(e.kind(), "memory", e.what(), "give --max-memory another size");
    return {};
  }
}

// Returns the chunks in which to read the data; none when there is not enough memory.
std::vector<SliceRange> check_memory(const Context& c, const StudyToCheck& study,
                                     const std::vector<Site>& sites) {
  const bool together = !c.arguments.site() && sites.size() == study.file.sites.size();
  if (together) {
    const Study all = study_of_all(study, sites);
    if (c.arguments.max_memory) return check_limited(c, study, all);
    const auto chunks = cut_slices(all.slices, static_cast<std::size_t>(study.options.chunks));
    const std::uint64_t needed = memory_of_all(c, study, all).bytes(chunks.back().count);
    return check_available(c, study, needed, true) ? chunks : std::vector<SliceRange>{};
  }
  std::uint64_t needed = 0;
  for (const Site& site : sites) needed += needed_by_site(study, site);
  if (!check_available(c, study, needed, false)) return {};
  return {all_slices(study.file)};
}

}  // namespace

Study study_with_one(const StudyFile& file, const Site& site) {
  Study study = study_without_sites(file);
  study.sites.resize(file.sites.size());
  if (study.sites.empty()) return study;
  study.sites.back().kind = SiteKind::kXrt;
  (site.kind == SiteKind::kXrt ? study.sites.back() : study.sites.front()) = site;
  return study;
}

std::vector<Site> check_data(const Context& c, const StudyToCheck& study) {
  const std::string warning = warn_noise(study.file);
  if (!warning.empty())
    c.findings.warning("noise", warning, "set sigma of the sites in the study; see docs/data.md");
  std::vector<Site> known;
  std::vector<const SiteEntry*> entries;
  bool any = false;
  for (const SiteEntry& entry : study.file.sites) {
    if (c.arguments.site() && entry.name != c.arguments.name) continue;
    if (c.arguments.coordinator() && !file_exists(c, entry)) continue;
    any = true;
    if (const auto site = check_geometry(c, study.file, entry)) {
      known.push_back(*site);
      entries.push_back(&entry);
    }
  }
  if (!any) c.findings.ok("data", "none here, which is fine at a coordinator");
  if (known.empty()) return known;
  std::vector<SliceRange> chunks = {all_slices(study.file)};
  if (!c.arguments.coordinator()) chunks = check_memory(c, study, known);
  if (chunks.empty()) return known;
  StudyData data(study.file, c.arguments.study);
  const bool all = known.size() == study.file.sites.size();
  if (all) data.diagnose();  // also compares sites
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (!all) data.diagnose(entries[k]->name);
    check_values(c, data, *entries[k], chunks, known[k]);
  }
  return known;
}

void check_truth(const Context& c, const StudyToCheck& study) {
  const StudyFile& file = study.file;
  // Only `firm recon` uses the truth of the study.
  const std::string truth = c.arguments.federated()
                                ? c.arguments.truth
                                : truth_path(file, c.arguments.study, c.arguments.truth);
  if (truth.empty()) return;
  const ImageGrid grid{static_cast<std::size_t>(file.rows), static_cast<std::size_t>(file.columns),
                       file.pixel_size};
  try {
    for (const SiteEntry& entry : file.sites) {
      if (c.arguments.site() && entry.name != c.arguments.name) continue;
      read_images(truth, entry.name, grid, static_cast<std::size_t>(file.slices), {0, 1});
    }
    c.findings.ok("truth", fmt::format("{}: true images to compare with", truth));
  } catch (const Error& e) {
    c.findings.error(
        Error::Kind::kData, "truth", e.what(),
        "give true images on the grid of the study, or omit --truth and truth of the study");
  }
}

}  // namespace firm::preflight_checks
