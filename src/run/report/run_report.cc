#include "run/report/run_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "firm/error.h"
#include "firm/version.h"
#include "io/files/image_file.h"
#include "io/files/json_file.h"
#include "io/files/pending_file.h"
#include "io/study/study_fluorescence.h"
#include "report/page/report_page.h"
#include "run/report/report_sections.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSummary = "the summary of a run";

std::string in(const std::string& run, const std::string& name) {
  return (fs::path(run) / name).string();
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Json parse_summary(const std::string& path, const std::string& text) {
  if (text.empty()) throw data_error({path, "", kSummary, "no file"});
  Json summary = parse_json(path, text);
  if (summary.is_object() && summary.contains("study")) return summary;
  throw data_error({path, "", kSummary, "something else"});
}

double total_error(const Json& summary) { return summary.at("error_to_truth").value("total", 0.0); }

// Joins the verdicts of two sites: false if one is missed, true if both are fitted, else null.
void join_fits(const Json& more, Json& all) {
  if (!more.contains("fits") && !all.contains("fits")) return;
  const Json one = all.value("fits", Json());
  const Json other = more.value("fits", Json());
  all["fits"] = one == false || other == false ? Json(false)
                : one == true && other == true ? Json(true)
                                               : Json(nullptr);
}

void join_warnings(const Json& more, Json& all) {
  for (const Json& warning : more.value("warnings", Json::array())) {
    Json& known = all["warnings"];
    if (std::find(known.begin(), known.end(), warning) == known.end()) known.push_back(warning);
  }
}

// All sites have the same scans; each knows only its own numbers, and notes of its own.
void join_refined(const Json& more, Json& all) {
  if (!more.contains("refined") || !all.contains("refined")) return;
  all["refined"]["sites"].update(more.at("refined").at("sites"));
  for (const char* key : {"notes", "warnings"}) {
    Json& known = all["refined"][key];
    for (const Json& text : more.at("refined").at(key)) {
      if (std::find(known.begin(), known.end(), text) == known.end()) known.push_back(text);
    }
  }
}

// Each site knows only its own masses and kept fraction.
void join_absorption(const Json& more, Json& all) {
  if (!more.contains("absorption") || !all.contains("absorption")) return;
  all["masses"].update(more.at("masses"));
  all["kept_fraction"].update(more.at("kept_fraction"));
  all["absorption"]["sites"].update(more.at("absorption").at("sites"));
}

// Joins the summary of another site of the same federation into `all`.
void join(const Json& more, Json& all) {
  for (const Json& site : more.at("sites")) all["sites"].push_back(site);
  join_fits(more, all);
  join_warnings(more, all);
  join_refined(more, all);
  join_absorption(more, all);
  all["kkt"]["min_w"] = std::min(all["kkt"]["min_w"], more.at("kkt").at("min_w"));
  // Keeps the times of the slowest site.
  if (more.at("seconds") > all["seconds"]) {
    all["seconds"] = more.at("seconds");
    all["phases"] = more.value("phases", Json::object());
  }
  if (all.contains("error_to_truth") && more.contains("error_to_truth")) {
    all["error_to_truth"]["total"] = std::hypot(total_error(all), total_error(more));
    all["error_to_truth"]["sites"].update(more.at("error_to_truth").at("sites"));
  }
  all["federation"]["messages"] = all["federation"].value("messages", std::int64_t{0}) +
                                  more.at("federation").value("messages", std::int64_t{0});
  all["federation"]["bytes"] = all["federation"].value("bytes", std::int64_t{0}) +
                               more.at("federation").value("bytes", std::int64_t{0});
}

Json summary_of(const ReportRequest& request) {
  if (!request.summary.empty()) return parse_summary(request.runs.front(), request.summary);
  Json all;
  for (const std::string& run : request.runs) {
    const std::string path = in(run, "summary.json");
    const Json summary = parse_summary(path, content(path));
    if (all.is_null()) {
      all = summary;
    } else {
      read_json_fields(path, kSummary, [&] { join(summary, all); });
    }
  }
  return all;
}

const char* kind_of(const ReportRequest& request, const Json& summary) {
  if (summary.contains("attempts")) return "coordinator";
  if (request.runs.size() > 1) return "federation";
  return summary.contains("federation") ? "site" : "recon";
}

// The images of all run directories, in the order of the summary; `other` before the last.
std::vector<ReportSite> sites_of(const ReportRequest& request, const Json& summary,
                                 const StudyFile& study) {
  const bool compared = summary.contains("error_to_truth") && !study.truth.empty();
  std::vector<ReportSite> sites;
  for (const std::string& run : request.runs) {
    const std::string truth = compared ? (fs::path(run) / study.truth).string() : "";
    // The images that a run has just written are whole.
    if (request.summary.empty()) guard_images(in(run, "images.h5"));
    const std::vector<std::string> names = image_names(in(run, "images.h5"));
    const auto has = [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const Json& site : summary.at("sites")) {
      const std::string name = site.at("name");
      if (has(name)) sites.push_back({name, run, truth, request.alone});
    }
    if (study.other && has("other")) {
      sites.insert(sites.empty() ? sites.end() : sites.end() - 1, {"other", run, "", ""});
    }
  }
  return sites;
}

// Expected hash of each site's data; empty when the run writes its own report.
std::vector<std::string> data_hashes(const ReportRequest& request,
                                     const std::vector<ReportSite>& sites, const Json& summary) {
  std::vector<std::string> hashes;
  if (!request.summary.empty()) return hashes;
  for (const ReportSite& site : sites) {
    hashes.emplace_back();
    for (const Json& one : summary.at("sites")) {
      if (one.at("name") == site.name) hashes.back() = one.value("data_sha256", "");
    }
  }
  return hashes;
}

std::unique_ptr<Measurements> measurements_for(const ReportRequest& request,
                                               const std::vector<ReportSite>& sites,
                                               const Json& summary) {
  if (request.problem != nullptr) return measurements_of(*request.problem);
  if (request.data != nullptr) return measurements_of(*request.data);
  return measurements_in_files(sites, data_hashes(request, sites, summary));
}

// Adds the sections that a coordinator's report does not have.
void add_results(const ReportRequest& request, const StudyFile& study, Json& document) {
  const Json& summary = document["summary"];
  const std::vector<ReportSite> sites = sites_of(request, summary, study);
  ReportNotes notes;
  double norm = 0;
  document["images"] = images_json(sites, study.pixel_size, norm, notes);
  // A site of a federation does not know ||w|| over all images.
  if (document["kind"] != "site") document["image_norm"] = norm;
  const auto measurements = measurements_for(request, sites, summary);
  const ReportAbsorption absorption(study, summary, sites);
  document["transmittance"] =
      transmittance_json(sites, absorption, study.slices, *measurements, notes);
  document["sinograms"] = sinograms_json(sites, absorption, *measurements, notes);
  std::vector<std::string> histories;
  for (const std::string& run : request.runs) histories.push_back(in(run, "history.jsonl"));
  add_curves(histories, document);
  document["notes"] = notes;
}

}  // namespace

Json study_json(const StudyFile& study) {
  Json j = {{"name", study.name},     {"description", study.description},
            {"rows", study.rows},     {"columns", study.columns},
            {"slices", study.slices}, {"pixel_size", study.pixel_size},
            {"other", study.other},   {"text", study_text(study)},
            {"sites", Json::array()}};
  for (const SiteEntry& site : study.sites) {
    Json s = {{"name", site.name}, {"kind", site.kind}, {"sigma", site.sigma_value()}};
    if (site.kind == "xrf") s["coefficient"] = site.coefficient;
    if (!site.element.empty()) s["element"] = site.element;
    if (!site.compound.empty()) s["compound"] = site.compound;
    if (study.self_absorption && site.kind == "xrf") {
      const std::string line = fluorescence_energies(study, site).name;
      if (!line.empty()) s["line"] = line;
    }
    j["sites"].push_back(std::move(s));
  }
  return j;
}

std::string report_document(const ReportRequest& request) {
  FIRM_CHECK(!request.runs.empty());
  Json document = {{"format", "firm-report"}, {"version", 1}, {"program", kVersion}};
  document["summary"] = summary_of(request);
  read_json_fields(in(request.runs.front(), "summary.json"), kSummary, [&] {
    document["kind"] = kind_of(request, document["summary"]);
    if (document["kind"] == "coordinator") return;
    const StudyFile study = read_study(in(request.runs.front(), "study.toml"));
    document["study"] = study_json(study);
    add_results(request, study, document);
  });
  return json_text(document);
}

void write_report(const std::string& path, const ReportRequest& request) {
  write_text_file(path, report_page(report_document(request)));
}

}  // namespace firm
