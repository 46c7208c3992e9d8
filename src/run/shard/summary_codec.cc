#include "run/shard/summary_codec.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace firm {
namespace {

using Json = nlohmann::json;

// JSON writes a NaN as null.
double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json optional_to_json(const std::optional<double>& value) {
  return value ? Json::array({*value}) : Json::array();
}

std::optional<double> optional_from(const Json& json) {
  return json.empty() ? std::nullopt : std::optional(number(json[0]));
}

Json sites_to_json(const std::vector<SiteSummary>& sites) {
  Json all = Json::array();
  for (const SiteSummary& site : sites) {
    all.push_back({site.name, site.residual, site.discrepancy, site.full_scale, site.bytes_up,
                   site.bytes_down, optional_to_json(site.error), site.sigma,
                   static_cast<int>(site.noise_source), site.noise_scale,
                   optional_to_json(site.residual_alone)});
  }
  return all;
}

std::vector<SiteSummary> sites_from(const Json& json) {
  std::vector<SiteSummary> sites;
  for (const Json& j : json) {
    SiteSummary site;
    site.name = j.at(0);
    site.residual = number(j.at(1));
    site.discrepancy = number(j.at(2));
    site.full_scale = number(j.at(3));
    site.bytes_up = number(j.at(4));
    site.bytes_down = number(j.at(5));
    site.error = optional_from(j.at(6));
    site.sigma = number(j.at(7));
    site.noise_source = static_cast<NoiseSource>(j.at(8).get<int>());
    site.noise_scale = number(j.at(9));
    site.residual_alone = optional_from(j.at(10));
    sites.push_back(std::move(site));
  }
  return sites;
}

Certificate certificate_from(const Json& c) {
  return {number(c.at(0)), number(c.at(1)), number(c.at(2)),        number(c.at(3)),
          number(c.at(4)), number(c.at(5)), optional_from(c.at(6)), {}};
}

Json prior_to_json(const std::optional<PriorSummary>& prior) {
  if (!prior) return nullptr;
  Json curve = Json::array();
  for (const auto& point : prior->curve) curve.push_back({point.strength, point.error});
  Json weights = Json::array();
  for (const auto& weight : prior->weights) {
    weights.push_back(Json::array({weight.name, weight.lambda}));
  }
  return Json::array(
      {prior->kind, prior->strength, prior->automatic, curve, weights, prior->solver});
}

std::optional<PriorSummary> prior_from(const Json& j) {
  if (j.is_null()) return {};
  PriorSummary prior{j.at(0), number(j.at(1)), j.at(2), {}, {}, {}};
  for (const Json& point : j.at(3)) {
    prior.curve.push_back({number(point.at(0)), number(point.at(1))});
  }
  for (const Json& weight : j.at(4)) prior.weights.push_back({weight.at(0), number(weight.at(1))});
  prior.solver = j.at(5);
  return prior;
}

Json absorption_to_json(const std::optional<AbsorptionSummary>& absorption) {
  if (!absorption) return nullptr;
  Json sites = Json::array();
  for (const auto& s : absorption->sites) {
    sites.push_back(
        Json::array({s.name, s.incident_energy, s.line_energy, s.masses, s.emitted, s.kept}));
  }
  return Json::array({static_cast<int>(absorption->attenuation), absorption->start,
                      absorption->outer_rounds, sites});
}

std::optional<AbsorptionSummary> absorption_from(const Json& j) {
  if (j.is_null()) return {};
  AbsorptionSummary absorption{static_cast<Attenuation>(j.at(0).get<int>()), j.at(1), j.at(2), {}};
  for (const Json& s : j.at(3)) {
    absorption.sites.push_back(
        {s.at(0), number(s.at(1)), number(s.at(2)), {}, number(s.at(4)), number(s.at(5))});
    for (const Json& mass : s.at(3)) absorption.sites.back().masses.push_back(number(mass));
  }
  return absorption;
}

}  // namespace

Json summary_to_json(const Summary& s) {
  const Certificate& c = s.certificate;
  const StopOptions& stop = s.stop;
  return {{"method", s.method},
          {"rounds", s.rounds},
          {"exchanges", s.exchanges},
          {"local_iterations", s.local_iterations},
          {"objective", s.objective},
          {"step_norm", s.step_norm},
          {"lambda_max", s.lambda_max},
          {"projection_seconds", s.projection_seconds},
          {"seconds", s.seconds},
          {"threads", s.threads},
          {"kernel", s.kernel},
          {"certificate",
           {c.objective, c.primal, c.min_w, c.stationarity, c.relative, c.multiplier,
            optional_to_json(c.gap)}},
          {"termination", {s.termination.reason, s.termination.message, s.termination.converged}},
          {"stop",
           {stop.rounds, stop.seconds, stop.objective, stop.discrepancy, stop.kkt, stop.change,
            stop.step, stop.noise}},
          {"sites", sites_to_json(s.sites)},
          {"prior", prior_to_json(s.prior)},
          {"absorption", absorption_to_json(s.absorption)},
          {"error", optional_to_json(s.error)}};
}

Summary summary_from_json(const Json& j) {
  Summary s;
  s.method = j.at("method");
  s.rounds = j.at("rounds");
  s.exchanges = j.at("exchanges");
  s.local_iterations = j.at("local_iterations");
  s.objective = number(j.at("objective"));
  s.step_norm = number(j.at("step_norm"));
  s.lambda_max = number(j.at("lambda_max"));
  s.projection_seconds = j.at("projection_seconds");
  s.seconds = j.at("seconds");
  s.threads = j.at("threads");
  s.kernel = j.at("kernel");
  s.certificate = certificate_from(j.at("certificate"));
  const Json& t = j.at("termination");
  s.termination = {t.at(0), t.at(1), t.at(2)};
  const Json& stop = j.at("stop");
  s.stop = {stop.at(0), stop.at(1), stop.at(2), stop.at(3),
            stop.at(4), stop.at(5), stop.at(6), stop.at(7)};
  s.sites = sites_from(j.at("sites"));
  s.prior = prior_from(j.at("prior"));
  s.absorption = absorption_from(j.at("absorption"));
  s.error = optional_from(j.at("error"));
  return s;
}

}  // namespace firm
