#include "run/run_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "firm/version.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no number for what is not known, or not finite.
Json number_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json kkt_json(const Certificate& c) {
  return {{"primal", c.primal},
          {"stationarity", c.stationarity},
          {"relative", c.relative},
          {"min_w", c.min_w},
          {"multiplier", c.multiplier}};
}

Json sites_json(const Summary& s, const RunFacts& facts) {
  Json sites = Json::array();
  for (std::size_t i = 0; i < s.sites.size(); ++i) {
    const SiteSummary& site = s.sites[i];
    Json j = {{"name", site.name},
              {"residual", site.residual},
              {"discrepancy", site.discrepancy},
              {"bytes_up", static_cast<std::int64_t>(site.bytes_up)},
              {"bytes_down", static_cast<std::int64_t>(site.bytes_down)}};
    if (site.error) j["error_to_truth"] = *site.error;
    if (i < facts.fingerprints.size()) j["data_sha256"] = facts.fingerprints[i];
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

// A value as the number, truth value or text that it is.
Json option_json(const std::string& text) {
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? Json(text) : parsed;
}

Json options_json(const SolveOptions& options) {
  Json all = Json::object();
  for (const OptionText& option : describe_options(options)) {
    all[option.key] = option_json(option.value);
  }
  return all;
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
  j["termination"] = {{"reason", s.termination.reason},
                      {"message", s.termination.message},
                      {"converged", s.termination.converged}};
  j["sites"] = sites_json(s, facts);
  if (s.error) j["error_to_truth"] = error_json(s);
  j["lambda_max"] = s.lambda_max;
  j["version"] = kVersion;
  return j;
}

}  // namespace

std::string preparation_json(const PreparationReport& r) {
  Json j = {{"normalized", r.normalized},
            {"values", r.values},
            {"masked", r.masked()},
            {"saturated", r.saturated},
            {"zingers", r.zingers},
            {"not_finite", r.not_finite},
            {"no_beam", r.no_beam},
            {"not_positive", r.not_positive},
            {"dead", r.dead},
            {"dead_beamlets", r.dead_beamlets},
            {"clipped_low", r.clipped_low},
            {"clipped_high", r.clipped_high}};
  if (r.axis) {
    j["rotation_axis"] = {{"axis", r.axis->axis},
                          {"uncertainty", r.axis->uncertainty},
                          {"contrast", r.axis->contrast},
                          {"centre_of_mass", number_or_null(r.axis->centre_of_mass)}};
  }
  j["warnings"] = r.warnings;
  return j.dump();
}

std::string history_line(const RoundRecord& r, const std::vector<std::string>& names) {
  Json j = {{"round", r.round},
            {"seconds", r.seconds},
            {"objective", number_or_null(r.objective)},
            {"step_norm", number_or_null(r.step_norm)},
            {"constraint_violation", number_or_null(r.violation)},
            {"kkt", number_or_null(r.kkt)}};
  if (r.step_size > 0) j["step_size"] = r.step_size;
  if (r.error) j["error_to_truth"] = number_or_null(r.error);
  for (std::size_t v = 0; v < names.size(); ++v) {
    if (names[v] != "other") j["residuals"][names[v]] = number_or_null(r.residuals[v]);
  }
  return j.dump();
}

std::string reproducible_summary_json(const Summary& summary, const RunFacts& facts) {
  return reproducible(summary, facts).dump(2) + "\n";
}

std::string summary_json(const Summary& s, const RunFacts& facts) {
  Json j = reproducible(s, facts);
  j["seconds"] = s.seconds;
  j["projection_seconds"] = s.projection_seconds;
  j["threads"] = s.threads;
  j["kernel"] = s.kernel;
  SolveOptions used = facts.options;
  used.stop = s.stop;
  j["options"] = options_json(used);
  if (facts.federation) {
    const FederationFacts& f = *facts.federation;
    j["federation"] = {{"run", f.run},           {"attempt", f.attempt},
                       {"sites", f.sites},       {"secure_aggregation", f.secure},
                       {"messages", f.messages}, {"bytes", f.bytes}};
  }
  return j.dump(2) + "\n";
}

}  // namespace firm
