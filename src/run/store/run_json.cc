#include "run/store/run_json.h"

#include <fmt/chrono.h>

#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "firm/version.h"
#include "io/files/json_file.h"
#include "run/store/refined_json.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

// Returns null for unknown and non-finite numbers, which JSON cannot represent.
Json number_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json kkt_json(const Certificate& c) {
  Json kkt = {{"primal", c.primal},
              {"stationarity", c.stationarity},
              {"relative", c.relative},
              {"min_w", c.min_w},
              {"multiplier", c.multiplier}};
  if (c.gap) kkt["gap"] = *c.gap;
  return kkt;
}

const char* source_text(NoiseSource source) {
  switch (source) {
    case NoiseSource::kGiven:
      return "given";
    case NoiseSource::kCounts:
      return "counts";
    case NoiseSource::kEstimated:
      return "estimated";
    case NoiseSource::kGuessed:
      break;
  }
  return "guess";
}

Json sites_json(const Summary& s, const RunFacts& facts) {
  Json sites = Json::array();
  for (std::size_t i = 0; i < s.sites.size(); ++i) {
    const SiteSummary& site = s.sites[i];
    Json j = {{"name", site.name},
              {"residual", site.residual},
              {"discrepancy", site.discrepancy},
              {"full_scale", site.full_scale},
              {"bytes_up", static_cast<std::int64_t>(site.bytes_up)},
              {"bytes_down", static_cast<std::int64_t>(site.bytes_down)}};
    j["fit"] = number_or_null(site.fit());
    if (site.residual_alone) {
      j["fit_alone"] = number_or_null(site.fit_alone());
      j["others_share"] = number_or_null(site.others_share());
      j["contradicted"] = site.contradicted();
    }
    j["sigma"] = site.sigma > 0 ? Json(site.sigma) : Json(nullptr);
    j["sigma_source"] = source_text(site.noise_source);
    if (site.error) j["error_to_truth"] = *site.error;
    if (i < facts.fingerprints.size() && !facts.fingerprints[i].empty()) {
      j["data_sha256"] = facts.fingerprints[i];
    }
    if (i < facts.preparations.size()) j["preparation"] = Json::parse(facts.preparations[i]);
    sites.push_back(j);
  }
  return sites;
}

Json error_json(const Summary& s) {
  Json sites = Json::object();
  for (const SiteSummary& site : s.sites) sites[site.name] = number_or_null(site.error);
  return {{"total", number_or_null(s.error)}, {"sites", sites}};
}

// Converts a value to a JSON number, boolean or string.
Json option_json(const std::string& text) {
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? Json(text) : parsed;
}

Json termination_json(const Termination& t) {
  return {{"reason", t.reason}, {"message", t.message}, {"converged", t.converged}};
}

Json chunks_json(const RunFacts& facts) {
  Json chunks = Json::array();
  for (const ChunkFacts& chunk : facts.chunks) {
    const Summary& s = chunk.summary;
    Json data = Json::object();
    Json scales = Json::object();
    for (std::size_t i = 0; i < s.sites.size(); ++i) {
      data[s.sites[i].name] = chunk.fingerprints[i];
      scales[s.sites[i].name] = s.sites[i].full_scale;
    }
    chunks.push_back({{"first_slice", chunk.slices.first},
                      {"slices", chunk.slices.count},
                      {"rounds", s.rounds},
                      {"local_iterations", s.local_iterations},
                      {"objective", s.objective},
                      {"kkt", kkt_json(s.certificate)},
                      {"termination", termination_json(s.termination)},
                      {"full_scale", scales},
                      {"data_sha256", data}});
    if (s.prior) chunks.back()["prior"] = prior_json(*s.prior);
  }
  return chunks;
}

// Returns the current time in ISO 8601: "2026-03-01T12:00:00Z".
std::string date_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Json reproducible(const Summary& s, const RunFacts& facts) {
  Json j;
  j["method"] = s.method;
  j["study"] = facts.study;
  j["rounds"] = s.rounds;
  j["local_iterations"] = s.local_iterations;
  j["exchanges"] = s.exchanges;
  j["objective"] = s.objective;
  j["step_norm"] = s.step_norm;
  j["constraint_violation"] = s.certificate.primal;
  j["kkt"] = kkt_json(s.certificate);
  j["termination"] = termination_json(s.termination);
  j["sites"] = sites_json(s, facts);
  const std::optional<bool> fits = s.fits();
  j["fits"] = fits ? Json(*fits) : Json(nullptr);
  j["warnings"] = facts.warnings;
  if (s.error) j["error_to_truth"] = error_json(s);
  if (s.prior) j["prior"] = prior_json(*s.prior);
  if (s.absorption) j.update(absorption_json(*s.absorption));
  if (s.refined) j["refined"] = refined_json(*s.refined);
  j["lambda_max"] = s.lambda_max;
  if (!facts.chunks.empty()) j["chunks"] = chunks_json(facts);
  j["version"] = kVersion;
  return j;
}

}  // namespace

nlohmann::ordered_json prior_json(const PriorSummary& prior) {
  Json curve = Json::array();
  for (const auto& point : prior.curve) {
    curve.push_back(Json::array({point.strength, number_or_null(point.error)}));
  }
  Json lambda = Json::object();
  for (const auto& weight : prior.weights) lambda[weight.name] = weight.lambda;
  return {{"kind", prior.kind},
          {"strength", number_or_null(prior.strength)},
          {"automatic", prior.automatic},
          {"solver", prior.solver},
          {"curve", curve},
          {"lambda", lambda}};
}

nlohmann::ordered_json absorption_json(const AbsorptionSummary& a) {
  Json masses = Json::object();
  Json kept = Json::object();
  Json sites = Json::object();
  for (const AbsorptionSummary::Site& site : a.sites) {
    masses[site.name] = site.masses.empty() ? Json(nullptr) : Json(site.masses.back());
    kept[site.name] = site.kept_fraction();
    sites[site.name] = {{"incident_energy", site.incident_energy},
                        {"line_energy", site.line_energy},
                        {"masses", site.masses}};
  }
  return {{"outer_rounds", a.outer_rounds},
          {"masses", masses},
          {"kept_fraction", kept},
          {"absorption",
           {{"attenuation", a.attenuation == Attenuation::kXrt ? "xrt" : "elements"},
            {"start", a.start},
            {"sites", sites}}}};
}

Json options_json(const SolveOptions& options) {
  Json all = Json::object();
  for (const OptionText& option : describe_options(options)) {
    all[option.key] = option_json(option.value);
  }
  return all;
}

std::string preparation_json(const PreparationReport& r) {
  Json j = {{"normalized", r.normalized},
            {"values", r.values},
            {"masked", r.masked()},
            {"missing", r.missing},
            {"saturated", r.saturated},
            {"zingers", r.zingers},
            {"not_finite", r.not_finite},
            {"no_beam", r.no_beam},
            {"not_positive", r.not_positive},
            {"outside", r.outside},
            {"dead", r.dead},
            {"missing_frames", r.missing_frames},
            {"dead_beamlets", r.dead_beamlets},
            {"clipped_low", r.clipped_low},
            {"clipped_high", r.clipped_high},
            {"scale", r.scale}};
  if (r.axis) {
    j["rotation_axis"] = {{"axis", r.axis->axis},
                          {"uncertainty", r.axis->uncertainty},
                          {"contrast", r.axis->contrast},
                          {"centre_of_mass", number_or_null(r.axis->centre_of_mass)}};
  }
  if (r.lag) {
    j["lag"] = {{"lag", r.lag->lag},
                {"noise_growth", r.lag->noise_growth},
                {"resolution", r.lag->resolution}};
  }
  if (r.noise) j["sigma"] = r.noise->sigma;
  j["warnings"] = r.all_warnings();
  return json_text(j);
}

std::vector<std::string> names_of(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& v : variables) names.push_back(v.name);
  return names;
}

std::string history_line(const RoundRecord& r, const std::vector<std::string>& names,
                         std::optional<std::size_t> chunk) {
  Json j;
  if (chunk) j["chunk"] = *chunk;
  j["round"] = r.round;
  j["seconds"] = r.seconds;
  j["objective"] = number_or_null(r.objective);
  j["step_norm"] = number_or_null(r.step_norm);
  j["constraint_violation"] = number_or_null(r.violation);
  j["kkt"] = number_or_null(r.kkt);
  if (r.step_size > 0) j["step_size"] = r.step_size;
  if (r.error) j["error_to_truth"] = number_or_null(r.error);
  for (std::size_t v = 0; v < names.size(); ++v) {
    if (names[v] == "other") continue;
    j["residuals"][names[v]] = number_or_null(r.residuals[v]);
    if (r.noise[v] > 0) j["fit"][names[v]] = number_or_null(r.residuals[v] / r.noise[v]);
  }
  return json_text(j);
}

std::string reproducible_summary_json(const Summary& summary, const RunFacts& facts) {
  return json_text(reproducible(summary, facts), 2) + "\n";
}

std::string summary_json(const Summary& s, const RunFacts& facts) {
  Json j = reproducible(s, facts);
  j["date"] = date_text();
  j["seconds"] = s.seconds;
  j["projection_seconds"] = s.projection_seconds;
  if (!facts.phases.empty()) {
    for (const auto& [phase, seconds] : facts.phases) j["phases"][phase] = seconds;
  }
  j["threads"] = s.threads;
  j["kernel"] = s.kernel;
  SolveOptions used = facts.options;
  used.stop = s.stop;
  if (s.prior) used.stop.discrepancy = facts.options.stop.discrepancy;  // tells the noise
  j["options"] = options_json(used);
  if (facts.federation) {
    const FederationFacts& f = *facts.federation;
    j["federation"] = {{"run", f.run},           {"attempt", f.attempt},
                       {"sites", f.sites},       {"secure_aggregation", f.secure},
                       {"messages", f.messages}, {"bytes", f.bytes}};
  }
  return json_text(j, 2) + "\n";
}

}  // namespace firm
