// Implements calibrate_study() of include/firm/tools.h.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/available_memory.h"
#include "core/byte_size.h"
#include "core/progress.h"
#include "firm/error.h"
#include "firm/tools.h"
#include "io/files/json_file.h"
#include "physics/calibration.h"
#include "prep/site_noise.h"
#include "prep/study_data.h"
#include "run/common_rays.h"
#include "run/memory/memory_estimate.h"
#include "run/study_inputs.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

// Called before the data is read.
void check_memory(StudyData& data, const Observer& observer) {
  Study study = data.geometries();
  for (Site& site : study.sites) site.weighted_values = may_have_weights(data.file(), site.name);
  const std::uint64_t needed = estimate_calibration_memory(study);
  const std::uint64_t available = available_memory();
  if (needed > available) {
    throw data_error(
        {data.path(), "memory",
         fmt::format("about {} for {} slices at once", byte_size_text(needed), study.slices),
         fmt::format("{} available; calibrate with some of the slices, the scales are the same for "
                     "all (slices in [image], first_slice of the sites)",
                     byte_size_text(available))});
  }
  if (!observer.on_event) return;
  observer.on_event(fmt::format("memory: about {} needed, {} available", byte_size_text(needed),
                                byte_size_text(available)));
}

// The values of all XRF sites along the rays of XRT.
std::vector<RayValues> values_along_xrt(const LoadedStudy& loaded, int threads,
                                        const Progress& progress) {
  const std::vector<Site>& sites = loaded.study.sites;
  std::vector<RayValues> values;
  for (std::size_t i = 0; i + 1 < sites.size(); ++i) {
    report(progress, "projecting sites along the rays of XRT",
           static_cast<double>(i) / static_cast<double>(sites.size() - 1));
    values.push_back(values_along(sites[i], loaded.data[i], loaded.study.xrt().geometry, threads));
  }
  return values;
}

Calibration fit(const LoadedStudy& loaded, const std::vector<RayValues>& values) {
  const std::vector<Site>& sites = loaded.study.sites;
  const SiteData& xrt = loaded.data.back();
  CalibrationInput input;
  input.beamlets = static_cast<std::size_t>(loaded.study.xrt().geometry.beamlets);
  input.other = loaded.study.other;
  input.xrt = {sites.back().name, 1, &xrt.values, &xrt.weights};
  for (std::size_t i = 0; i < values.size(); ++i) {
    input.xrf.push_back(
        {sites[i].name, sites[i].coefficient, &values[i].values, &values[i].weights});
  }
  return calibrate(input);
}

void add_warnings(const LoadedStudy& loaded, std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < loaded.reports.size(); ++i) {
    PreparationReport preparation = loaded.reports[i];
    preparation.unit_warning.clear();  // calibration resolves it
    for (const std::string& warning : preparation.all_warnings()) {
      warnings.push_back(fmt::format("{}: {}", loaded.study.sites[i].name, warning));
    }
  }
}

std::string matter_of(const SiteEntry& entry) {
  if (!entry.compound.empty()) return entry.compound;
  return entry.element.empty() ? "-" : entry.element;
}

CalibratedSite site_of(const SiteEntry& entry, const CalibrationFactor& factor,
                       const RayValues& values, double old_scale) {
  CalibratedSite site;
  site.name = entry.name;
  site.matter = matter_of(entry);
  site.coefficient = entry.coefficient;
  site.old_scale = old_scale;
  site.factor = factor.factor;
  site.uncertainty = factor.uncertainty;
  site.scale = site.found() ? old_scale * factor.factor : old_scale;
  site.share = factor.share;
  site.inflation = factor.inflation;
  site.own_rays = values.own;
  return site;
}

// Writes the study with the new scales. Relative paths in it are relative to its new directory.
void write_calibrated(StudyFile file, const StudyCalibration& found, const CalibrateRequest& r) {
  for (SiteEntry& entry : file.sites) {
    const auto at = std::ranges::find(found.sites, entry.name, &CalibratedSite::name);
    if (at != found.sites.end() && at->found()) {
      // sigma is in the unit of the values after `scale`.
      if (entry.sigma) *entry.sigma *= at->factor;
      entry.prepare.scale = at->scale;
      entry.prepare.find_scale = false;
    }
    if (entry.looked_up) entry.coefficient = 0;  // not written, looked up again
  }
  relocate_study(r.study, std::filesystem::absolute(r.out).parent_path().string(), file);
  write_study(r.out, file);
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

StudyCalibration calibrate_study(const CalibrateRequest& request, const Observer& observer) {
  const StudyFile file = read_study(request.study);
  if (file.sites.size() < 2) {
    throw usage_error({request.study, "sites", "XRF sites to be calibrated by XRT", "XRT alone"});
  }
  if (file.self_absorption) {
    throw usage_error({request.study, "self_absorption",
                       "false: XRT is compared with the fluorescence that was emitted. Calibrate "
                       "with a thin object, or without self_absorption where little is absorbed",
                       "true"});
  }
  StudyData data(file, request.study);
  check_memory(data, observer);
  report(observer.progress, "reading the data", 0);
  const LoadedStudy loaded = data.load(all_slices(file));
  const std::vector<RayValues> values =
      values_along_xrt(loaded, request.threads, observer.progress);
  const Calibration fitted = fit(loaded, values);
  StudyCalibration result{file.name,          file.other, fitted.values,  fitted.residual,
                          fitted.unexplained, {},         fitted.warnings};
  add_warnings(loaded, result.warnings);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto entry = std::ranges::find(file.sites, loaded.study.sites[i].name, &SiteEntry::name);
    result.sites.push_back(site_of(*entry, fitted.factors[i], values[i], loaded.reports[i].scale));
  }
  if (!request.out.empty()) write_calibrated(file, result, request);
  return result;
}

std::string to_json(const StudyCalibration& c, const std::string& out) {
  Json sites = Json::array();
  for (const CalibratedSite& site : c.sites) {
    sites.push_back({{"name", site.name},
                     {"element", site.matter},
                     {"coefficient", site.coefficient},
                     {"old_scale", site.old_scale},
                     {"factor", site.factor},
                     {"uncertainty", or_null(site.uncertainty)},
                     {"scale", site.scale},
                     {"share", site.share},
                     {"variance_inflation", or_null(site.inflation)},
                     {"own_rays", site.own_rays}});
  }
  const Json all = {{"study", c.study},
                    {"other", c.other},
                    {"values", c.values},
                    {"residual", c.residual},
                    {"unexplained", c.unexplained},
                    {"sites", sites},
                    {"warnings", c.warnings},
                    {"out", out.empty() ? Json(nullptr) : Json(out)}};
  return json_text(all, 2);
}

}  // namespace firm
