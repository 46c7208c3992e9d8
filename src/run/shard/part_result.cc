#include "run/shard/part_result.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "firm/error.h"

namespace firm {
namespace {

using Json = nlohmann::json;

template <typename Values>
Json bytes_json(const Values& values) {
  const auto bytes = std::as_bytes(std::span(values));
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::binary({data, data + bytes.size()});
}

// There may be none: images of another site, values that are not known.
void copy_bytes(const Json::binary_t& from, std::span<std::byte> to) {
  FIRM_CHECK(from.size() == to.size());
  std::ranges::copy(std::as_bytes(std::span(from)), to.begin());
}

std::vector<double> numbers_from(const Json& json) {
  const auto& bytes = json.get_binary();
  std::vector<double> numbers(bytes.size() / sizeof(double));
  copy_bytes(bytes, std::as_writable_bytes(std::span(numbers)));
  return numbers;
}

Json block_json(const Block& block) {
  return {
      {"rows", block.rows()}, {"columns", block.columns()}, {"values", bytes_json(block.values())}};
}

Block block_from(const Json& json) {
  Block block(json.at("rows"), json.at("columns"));
  const auto& bytes = json.at("values").get_binary();
  copy_bytes(bytes, std::as_writable_bytes(block.values()));
  return block;
}

// What differs from part to part; the rest of a summary is the same everywhere.
Json result_json(const PartResult& r) {
  const Summary& s = r.solution.summary;
  Json sites = Json::array();
  for (const SiteSummary& site : s.sites) {
    sites.push_back({site.name, site.residual, site.discrepancy, site.full_scale, site.bytes_up,
                     site.error ? Json(*site.error) : Json(nullptr)});
  }
  Json variables = Json::array();
  for (const Variable& v : r.variables) {
    variables.push_back({v.name, v.slot, v.measured, v.transmission});
  }
  return {{"part", {r.part.site, r.part.group, r.part.first, r.part.slices}},
          {"sites", sites},
          {"variables", variables},
          {"fingerprint", r.fingerprint},
          {"rounds", bytes_json(r.rounds.numbers())},
          {"min_w", s.certificate.min_w},
          {"local_iterations", s.local_iterations},
          {"projection_seconds", s.projection_seconds},
          {"images", block_json(r.solution.images)},
          {"multiplier", block_json(r.solution.multiplier)}};
}

PartResult result_from(const Json& json) {
  PartResult r;
  const Json& part = json.at("part");
  r.part = {part[0], part[1], part[2], part[3]};
  Summary& s = r.solution.summary;
  for (const Json& site : json.at("sites")) {
    SiteSummary one{site[0], site[1], site[2], site[3], site[4], site[4], {}};
    if (!site[5].is_null()) one.error = site[5].get<double>();
    s.sites.push_back(one);
  }
  for (const Json& v : json.at("variables")) {
    Variable one;
    one.name = v[0];
    one.slot = v[1];
    one.measured = v[2];
    one.transmission = v[3];
    r.variables.push_back(one);
  }
  r.fingerprint = json.at("fingerprint");
  r.rounds = PartRounds(r.variables.size(), numbers_from(json.at("rounds")));
  s.certificate.min_w = json.at("min_w");
  s.local_iterations = json.at("local_iterations");
  s.projection_seconds = json.at("projection_seconds");
  r.solution.images = block_from(json.at("images"));
  r.solution.multiplier = block_from(json.at("multiplier"));
  return r;
}

// Columns of `from`, variables of a part by its slices, to where they belong among all.
void put_images(const Study& study, const PartResult& r, Block& all) {
  const Block& from = r.solution.images;
  for (std::size_t v = 0; v < r.variables.size(); ++v) {
    const std::size_t column = r.variables[v].slot * study.slices + r.part.first;
    for (std::size_t p = 0; p < from.rows(); ++p) {
      for (std::size_t z = 0; z < r.part.slices; ++z) {
        all(p, column + z) = from(p, v * r.part.slices + z);
      }
    }
  }
}

void put_multiplier(const PartResult& r, Block& all) {
  const Block& from = r.solution.multiplier;
  for (std::size_t p = 0; p < from.rows(); ++p) {
    for (std::size_t z = 0; z < from.columns(); ++z) all(p, r.part.first + z) = from(p, z);
  }
}

}  // namespace

void add_slices(const SiteSummary& more, SiteSummary& site) {
  site.residual = std::hypot(site.residual, more.residual);
  site.discrepancy = std::max(site.discrepancy, more.discrepancy);
  site.full_scale = std::hypot(site.full_scale, more.full_scale);
  site.bytes_up += more.bytes_up;
  site.bytes_down += more.bytes_down;
  if (site.error) site.error = std::hypot(*site.error, more.error.value_or(0));
}

std::string to_bytes(const std::vector<PartResult>& results) {
  Json all = Json::array();
  for (const PartResult& r : results) all.push_back(result_json(r));
  const std::vector<std::uint8_t> bytes = Json::to_cbor(all);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<PartResult> results_from(const std::string& bytes) {
  std::vector<PartResult> results;
  for (const Json& json : Json::from_cbor(bytes)) results.push_back(result_from(json));
  return results;
}

JoinedRound join_round(const std::vector<PartResult>& results, std::size_t k) {
  JoinedRound joined;
  for (const PartResult& r : results) joined.add(r.part, r.variables, r.rounds.at(k));
  return joined;
}

JoinedResult join(const Study& study, const Summary& common,
                  const std::vector<PartResult>& results) {
  JoinedResult joined;
  joined.fingerprints.resize(study.sites.size());
  const std::size_t slots = study.sites.size() + (study.other ? 1 : 0);
  Solution& solution = joined.solution;
  solution.images = Block(study.pixels(), slots * study.slices);
  solution.multiplier = Block(study.pixels(), study.slices);
  Summary& s = solution.summary;
  s = common;
  s.sites.clear();
  s.local_iterations = 0;
  std::map<std::size_t, Variable> variables;
  std::map<std::size_t, SiteSummary> sites;
  for (const PartResult& r : results) {
    for (const Variable& v : r.variables) variables[v.slot] = v;
    put_images(study, r, solution.images);
    if (r.part.site == 0) put_multiplier(r, solution.multiplier);
    // Of a site whose slices were spread no process has seen all of the data.
    if (r.part.slices == study.slices) joined.fingerprints[r.part.site] = r.fingerprint;
    const Summary& own = r.solution.summary;
    s.certificate.min_w = std::min(s.certificate.min_w, own.certificate.min_w);
    s.local_iterations = std::max(s.local_iterations, own.local_iterations);
    s.projection_seconds = std::max(s.projection_seconds, own.projection_seconds);
    const auto [at, first] = sites.try_emplace(r.part.site, own.sites.at(0));
    if (!first) add_slices(own.sites.at(0), at->second);
  }
  for (const auto& [slot, variable] : variables) joined.variables.push_back(variable);
  double error = 0;
  for (const auto& [index, site] : sites) {
    s.sites.push_back(site);
    if (site.error) error = std::hypot(error, *site.error);
  }
  if (s.error) s.error = error;
  return joined;
}

}  // namespace firm
