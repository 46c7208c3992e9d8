#include <fmt/format.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/available_memory.h"
#include "core/byte_size.h"
#include "core/shell_quote.h"
#include "firm/error.h"
#include "physics/calibration.h"
#include "prep/site_noise.h"
#include "prep/study_data.h"
#include "run/common_rays.h"
#include "run/memory/memory_estimate.h"
#include "run/study_inputs.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string study;
  std::string out;
  bool json = false;
  int threads = 0;
};

// The scale of one site, before and after calibration.
struct Row {
  SiteEntry* entry = nullptr;
  CalibrationFactor factor;
  bool own_rays = true;
  double old_scale = 1;  // from the study, or from the unit in the file

  bool found() const { return factor.factor > 0; }
  double scale() const { return found() ? old_scale * factor.factor : old_scale; }
  std::string matter() const {
    if (!entry->compound.empty()) return entry->compound;
    return entry->element.empty() ? "-" : entry->element;
  }
};

struct Outcome {
  Calibration calibration;
  std::vector<Row> rows;
};

SiteEntry* entry_of(StudyFile& file, const std::string& name) {
  for (SiteEntry& entry : file.sites) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// Called before the data is read.
void check_memory(StudyData& data, const Arguments& a, ProgressLine& line) {
  Study study = data.geometries();
  for (Site& site : study.sites) site.weighted_values = may_have_weights(data.file(), site.name);
  const std::uint64_t needed = estimate_calibration_memory(study);
  const std::uint64_t available = available_memory();
  if (needed > available) {
    throw data_error(
        {a.study, "memory",
         fmt::format("about {} for {} slices at once", byte_size_text(needed), study.slices),
         fmt::format("{} available; calibrate with some of the slices, the scales are the same for "
                     "all (slices in [image], first_slice of the sites)",
                     byte_size_text(available))});
  }
  line.print_event(fmt::format("memory: about {} needed, {} available", byte_size_text(needed),
                               byte_size_text(available)));
}

Outcome calibrate_study(StudyFile& file, const Arguments& a) {
  if (file.sites.size() < 2) {
    throw usage_error({a.study, "sites", "XRF sites to be calibrated by XRT", "XRT alone"});
  }
  ProgressLine line;
  StudyData data(file, a.study);
  check_memory(data, a, line);
  const Progress progress = line.callback();
  report(progress, "reading the data", 0);
  const LoadedStudy loaded = data.load(all_slices(file));
  const std::vector<Site>& sites = loaded.study.sites;
  const SiteData& xrt = loaded.data.back();
  std::vector<RayValues> values;
  for (std::size_t i = 0; i + 1 < sites.size(); ++i) {
    report(progress, "projecting sites along the rays of XRT",
           static_cast<double>(i) / static_cast<double>(sites.size() - 1));
    values.push_back(
        values_along(sites[i], loaded.data[i], loaded.study.xrt().geometry, a.threads));
  }
  CalibrationInput input;
  input.beamlets = static_cast<std::size_t>(loaded.study.xrt().geometry.beamlets);
  input.other = loaded.study.other;
  input.xrt = {sites.back().name, 1, &xrt.values, &xrt.weights};
  for (std::size_t i = 0; i < values.size(); ++i) {
    input.xrf.push_back(
        {sites[i].name, sites[i].coefficient, &values[i].values, &values[i].weights});
  }
  Outcome outcome{calibrate(input), {}};
  std::vector<std::string>& warnings = outcome.calibration.warnings;
  for (std::size_t i = 0; i < loaded.reports.size(); ++i) {
    PreparationReport preparation = loaded.reports[i];
    preparation.unit_warning.clear();  // calibration resolves it
    for (const std::string& warning : preparation.all_warnings()) {
      warnings.push_back(fmt::format("{}: {}", loaded.study.sites[i].name, warning));
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    outcome.rows.push_back({entry_of(file, sites[i].name), outcome.calibration.factors[i],
                            values[i].own, loaded.reports[i].scale});
  }
  return outcome;
}

// Writes the study with the new scales. Relative paths in it are relative to its new directory.
void write_calibrated(StudyFile file, const Outcome& outcome, const Arguments& a) {
  for (const Row& row : outcome.rows) {
    if (!row.found()) continue;
    SiteEntry& entry = *entry_of(file, row.entry->name);
    // sigma is in the unit of the values after `scale`.
    if (entry.sigma) *entry.sigma *= row.factor.factor;
    entry.prepare.scale = row.scale();
    entry.prepare.find_scale = false;
  }
  for (SiteEntry& entry : file.sites) {
    if (entry.looked_up) entry.coefficient = 0;  // not written, looked up again
  }
  relocate_study(a.study, std::filesystem::absolute(a.out).parent_path().string(), file);
  write_study(a.out, file);
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const StudyFile& file, const Outcome& outcome, const Arguments& a) {
  Json sites = Json::array();
  for (const Row& row : outcome.rows) {
    sites.push_back({{"name", row.entry->name},
                     {"element", row.matter()},
                     {"coefficient", row.entry->coefficient},
                     {"old_scale", row.old_scale},
                     {"factor", row.factor.factor},
                     {"uncertainty", or_null(row.factor.uncertainty)},
                     {"scale", row.scale()},
                     {"share", row.factor.share},
                     {"variance_inflation", or_null(row.factor.inflation)},
                     {"own_rays", row.own_rays}});
  }
  const Calibration& c = outcome.calibration;
  return {{"study", file.name},           {"other", file.other},
          {"values", c.values},           {"residual", c.residual},
          {"unexplained", c.unexplained}, {"sites", sites},
          {"warnings", c.warnings},       {"out", a.out.empty() ? Json(nullptr) : Json(a.out)}};
}

void print_text(const Outcome& outcome, const Arguments& a) {
  fmt::print("  {:<12} {:<8} {:>11} {:>11} {:>11} {:>11} {:>11} {:>12}\n", "site", "element",
             "cm^2/g", "old scale", "factor", "+-", "new scale", "part of XRT");
  for (const Row& row : outcome.rows) {
    const CalibrationFactor& f = row.factor;
    fmt::print("  {:<12} {:<8} {:>11.4g} {:>11.4g} {:>11.5g} {:>11} {:>11.5g} {:>10.1f} %{}\n",
               row.entry->name, row.matter(), row.entry->coefficient, row.old_scale, f.factor,
               f.uncertainty ? fmt::format("{:.2g}", *f.uncertainty) : "unknown", row.scale(),
               100 * f.share, row.own_rays ? "" : "  by its image");
  }
  const Calibration& c = outcome.calibration;
  fmt::print("\n{} values; the residual is {:.2f} % of XRT, {:.2f} % after subtracting the noise\n",
             c.values, 100 * c.residual, 100 * c.unexplained);
  for (const std::string& warning : c.warnings) fmt::print("warning: {}\n", warning);
  if (a.out.empty()) {
    fmt::print("\nTo write the study with these scales: firm calibrate {} --out NEW.toml\n",
               shell_quote(a.study));
  } else {
    fmt::print("\nwrote {}\n", a.out);
  }
}

void run(const Arguments& a) {
  StudyFile file = read_study(a.study);
  const Outcome outcome = calibrate_study(file, a);
  if (!a.out.empty()) write_calibrated(file, outcome, a);
  if (a.json) {
    fmt::print("{}\n",
               to_json(file, outcome, a).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print_text(outcome, a);
  }
}

}  // namespace

void add_calibrate(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "calibrate", "Find the scales that convert XRF data to g/cm^2, by comparison with XRT");
  verb->add_option("STUDY", a->study, "Study file, study.toml")->required();
  verb->add_option("--out", a->out,
                   "Study file to write, with the new scales (default: only print them)");
  verb->add_option("--threads", a->threads, "Threads (default: all)")->check(CLI::Range(0, 1024));
  verb->add_flag("--json", a->json, "Print the result as JSON");
  verb->footer(
      "Fits XRT by the sum of factor x coefficient x XRF over all elements, with factors of 0 or\n"
      "more. The new `scale` of a site is the old one times its factor. With other = true the fit\n"
      "uses only rays without other matter. docs/data.md, Calibration, explains the method and\n"
      "the warnings.\n"
      "\n"
      "Examples:\n"
      "  firm calibrate study/study.toml\n"
      "  firm calibrate study/study.toml --out study/calibrated.toml");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
