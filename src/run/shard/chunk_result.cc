#include "run/shard/chunk_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "firm/error.h"
#include "io/hdf5/hdf5.h"
#include "run/shard/part_result.h"

namespace firm {
namespace {

using Json = nlohmann::json;

constexpr const char* kSummary = "/entry/process/summary";

// JSON writes what is not a number as null.
double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json sites_json(const Summary& s) {
  Json sites = Json::array();
  for (const SiteSummary& site : s.sites) {
    sites.push_back({site.name, site.residual, site.discrepancy, site.full_scale, site.bytes_up,
                     site.bytes_down, site.error ? Json::array({*site.error}) : Json::array()});
  }
  return sites;
}

std::vector<SiteSummary> sites_from(const Json& json) {
  std::vector<SiteSummary> sites;
  for (const Json& j : json) {
    SiteSummary site{j[0], number(j[1]), number(j[2]), number(j[3]), number(j[4]), number(j[5]),
                     {}};
    if (!j[6].empty()) site.error = number(j[6][0]);
    sites.push_back(site);
  }
  return sites;
}

Json summary_to_json(const Summary& s) {
  const Certificate& c = s.certificate;
  return {
      {"method", s.method},
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
      {"certificate", {c.objective, c.primal, c.min_w, c.stationarity, c.relative, c.multiplier}},
      {"termination", {s.termination.reason, s.termination.message, s.termination.converged}},
      {"stop",
       {s.stop.rounds, s.stop.seconds, s.stop.objective, s.stop.discrepancy, s.stop.kkt,
        s.stop.change, s.stop.step}},
      {"sites", sites_json(s)},
      {"error", s.error ? Json::array({*s.error}) : Json::array()}};
}

Summary summary_from(const Json& j) {
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
  const Json& c = j.at("certificate");
  s.certificate = {number(c.at(0)),
                   number(c.at(1)),
                   number(c.at(2)),
                   number(c.at(3)),
                   number(c.at(4)),
                   number(c.at(5)),
                   {}};
  const Json& t = j.at("termination");
  s.termination = {t.at(0), t.at(1), t.at(2)};
  const Json& stop = j.at("stop");
  s.stop = {stop.at(0), stop.at(1), stop.at(2), stop.at(3), stop.at(4), stop.at(5), stop.at(6)};
  s.sites = sites_from(j.at("sites"));
  if (!j.at("error").empty()) s.error = number(j.at("error")[0]);
  return s;
}

// ||A^T b||, by which `relative` was divided. Where nothing is left to divide it is not known, and
// 0 makes the quotient of all chunks larger, never smaller.
double gradient_scale(const Certificate& c) {
  return c.relative > 0 ? c.stationarity / c.relative : 0;
}

// Chunks share no pixel: objectives add up, and so do squares of norms. With these
// sum_k ||mu_k|| ||D w_k|| <= ||mu|| ||D w||, and the bound of docs/report.md holds for all slices.
void add_certificate(const Certificate& more, Certificate& c) {
  const double scale = std::hypot(gradient_scale(c), gradient_scale(more));
  c.objective += more.objective;
  c.primal = std::hypot(c.primal, more.primal);
  c.min_w = std::min(c.min_w, more.min_w);
  c.stationarity = std::hypot(c.stationarity, more.stationarity);
  c.relative = scale > 0 ? c.stationarity / scale : 0;
  c.multiplier = std::hypot(c.multiplier, more.multiplier);
}

void add_chunk(const Summary& more, Summary& s) {
  s.rounds = std::max(s.rounds, more.rounds);
  s.exchanges += more.exchanges;
  s.local_iterations += more.local_iterations;
  s.objective += more.objective;
  s.step_norm = std::max(s.step_norm, more.step_norm);
  s.lambda_max = std::max(s.lambda_max, more.lambda_max);
  s.projection_seconds += more.projection_seconds;
  s.seconds += more.seconds;
  add_certificate(more.certificate, s.certificate);
  if (s.termination.converged) s.termination = more.termination;
  for (std::size_t i = 0; i < s.sites.size(); ++i) add_slices(more.sites[i], s.sites[i]);
  if (s.error) s.error = std::hypot(*s.error, more.error.value_or(0));
}

// One image of all chunks; `parts` in the order of the chunks.
Slices join_slices(const std::vector<Slices>& parts) {
  std::size_t count = 0;
  for (const Slices& part : parts) count += part.count();
  return {parts.front().pixels(), count, [=](std::size_t k, std::span<float> out) {
            std::size_t chunk = 0;
            while (k >= parts[chunk].count()) k -= parts[chunk++].count();
            const std::vector<float> slice = parts[chunk].slice(k);
            std::copy(slice.begin(), slice.end(), out.begin());
          }};
}

}  // namespace

void write_chunk(const std::string& path, const ImageGrid& grid, const ChunkResult& result,
                 const std::vector<Variable>& variables, const RunImages& images) {
  const ChunkFacts& facts = result.facts;
  const Json json = {
      {"identity", result.identity},        {"stop", result.stop},
      {"history", result.history},          {"slices", {facts.slices.first, facts.slices.count}},
      {"fingerprints", facts.fingerprints}, {"summary", summary_to_json(facts.summary)}};
  write_images(path, grid, image_stacks(variables, images.variables),
               {"", json.dump(), {multiplier_stack(images.multiplier)}});
}

ChunkResult read_chunk(const std::string& path) {
  const std::string text = h5::Reader(path).text(kSummary);
  try {
    const Json json = Json::parse(text);
    ChunkResult result;
    result.identity = json.at("identity");
    result.stop = json.at("stop");
    result.history = json.at("history");
    result.facts.slices = {json.at("slices").at(0), json.at("slices").at(1)};
    result.facts.fingerprints = json.at("fingerprints").get<std::vector<std::string>>();
    result.facts.summary = summary_from(json.at("summary"));
    return result;
  } catch (const Json::exception& e) {
    throw data_error({path, kSummary, "the result of a chunk", e.what()});
  }
}

std::string stop_text(const SolveOptions& options) {
  std::string text;
  for (const OptionText& option : describe_options(options)) {
    if (option.key.starts_with("stop.")) text += fmt::format("{} = {}\n", option.key, option.value);
  }
  return text;
}

Summary join_chunks(const std::vector<ChunkResult>& results) {
  FIRM_CHECK(!results.empty());
  Summary all = results.front().facts.summary;
  for (std::size_t k = 1; k < results.size(); ++k) add_chunk(results[k].facts.summary, all);
  return all;
}

RunImages join_images(const std::vector<std::string>& paths,
                      const std::vector<ChunkResult>& results,
                      const std::vector<Variable>& variables, const ImageGrid& grid) {
  const auto of = [&](const std::string& name) {
    std::vector<Slices> parts;
    for (std::size_t k = 0; k < paths.size(); ++k) {
      parts.push_back(stored_images(paths[k], name, grid, results[k].facts.slices.count));
    }
    return join_slices(parts);
  };
  RunImages images;
  for (const Variable& v : variables) images.variables.push_back(of(v.name));
  images.multiplier = of("multiplier");
  return images;
}

}  // namespace firm
