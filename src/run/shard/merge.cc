#include "run/shard/merge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "firm/error.h"
#include "run/shard/absorption_merge.h"

namespace firm {
namespace {

// Adds the numbers of further slices of a site. Slices that were not compared with the site alone
// are fitted: there the joint residual stands for the one alone.
void add_slices(const SiteSummary& more, SiteSummary& site) {
  if (site.residual_alone || more.residual_alone) {
    site.residual_alone = std::hypot(site.residual_alone.value_or(site.residual),
                                     more.residual_alone.value_or(more.residual));
  }
  site.residual = std::hypot(site.residual, more.residual);
  site.discrepancy = std::max(site.discrepancy, more.discrepancy);
  site.full_scale = std::hypot(site.full_scale, more.full_scale);
  site.noise_scale = std::hypot(site.noise_scale, more.noise_scale);
  site.bytes_up += more.bytes_up;
  site.bytes_down += more.bytes_down;
  if (site.error) site.error = std::hypot(*site.error, more.error.value_or(0));
}

// Copies the images of a shard, variables by its slices, to their place among all.
void put_images(const Study& study, const ShardResult& r, Block& all) {
  const Block& from = r.solution.images;
  const SliceRange& slices = r.shard.slices;
  for (std::size_t v = 0; v < r.variables.size(); ++v) {
    const std::size_t column = r.variables[v].slot * study.slices + slices.first;
    for (std::size_t p = 0; p < from.rows(); ++p) {
      for (std::size_t z = 0; z < slices.count; ++z) {
        all(p, column + z) = from(p, v * slices.count + z);
      }
    }
  }
}

void put_slices(const Block& from, std::size_t first, Block& all) {
  for (std::size_t p = 0; p < from.rows(); ++p) {
    for (std::size_t z = 0; z < from.columns(); ++z) all(p, first + z) = from(p, z);
  }
}

// Copies the attenuation of a shard's sites to its slices among all.
void put_attenuation(const Study& study, const ShardResult& r,
                     std::vector<AttenuationImages>& all) {
  for (const AttenuationImages& from : r.solution.attenuation) {
    auto to = std::ranges::find(all, from.site, &AttenuationImages::site);
    if (to == all.end()) {
      const Block empty(study.pixels(), study.slices);
      to = all.insert(all.end(), {from.site, empty, empty});
    }
    put_slices(from.incident, r.shard.slices.first, to->incident);
    put_slices(from.line, r.shard.slices.first, to->line);
  }
}

// Returns ||A^T b||, the divisor of `relative`. It is unknown if `relative` is 0; returning 0 then
// makes the quotient of all stages larger, never smaller.
double gradient_scale(const Certificate& c) {
  return c.relative > 0 ? c.stationarity / c.relative : 0;
}

// Stages share no pixel: objectives add up, and so do squares of norms. With these
// sum_k ||mu_k|| ||D w_k|| <= ||mu|| ||D w||, and the bound of docs/report.md holds for all slices.
void add_certificate(const Certificate& more, Certificate& c) {
  const double scale = std::hypot(gradient_scale(c), gradient_scale(more));
  c.objective += more.objective;
  c.primal = std::hypot(c.primal, more.primal);
  c.min_w = std::min(c.min_w, more.min_w);
  c.stationarity = std::hypot(c.stationarity, more.stationarity);
  c.relative = scale > 0 ? c.stationarity / scale : 0;
  c.multiplier = std::hypot(c.multiplier, more.multiplier);
  if (c.gap) c.gap = more.gap ? std::optional(*c.gap + *more.gap) : std::nullopt;
}

// Each stage finds a strength of its own.
void add_prior(const PriorSummary& more, PriorSummary& prior) {
  if (more.strength == prior.strength) return;
  prior.strength = std::numeric_limits<double>::quiet_NaN();
  prior.curve.clear();
  prior.weights.clear();
}

void add_stage(const Summary& more, Summary& s) {
  s.rounds = std::max(s.rounds, more.rounds);
  s.exchanges += more.exchanges;
  s.local_iterations += more.local_iterations;
  s.objective += more.objective;
  s.step_norm = std::max(s.step_norm, more.step_norm);
  s.lambda_max = std::max(s.lambda_max, more.lambda_max);
  s.projection_seconds += more.projection_seconds;
  s.seconds += more.seconds;
  add_certificate(more.certificate, s.certificate);
  if (s.prior && more.prior) add_prior(*more.prior, *s.prior);
  if (s.absorption && more.absorption) add_absorption(*more.absorption, *s.absorption);
  if (s.termination.converged) s.termination = more.termination;
  for (std::size_t i = 0; i < s.sites.size(); ++i) add_slices(more.sites[i], s.sites[i]);
  if (s.error) s.error = std::hypot(*s.error, more.error.value_or(0));
}

// `part`: the shard's part of all slices.
void add_weights(const PriorSummary& prior, double part, std::map<std::string, double>& weights) {
  for (const auto& weight : prior.weights) weights[weight.name] += part * weight.lambda;
}

// Merges the per-site numbers of the shards of a stage.
class SiteMerge {
 public:
  void add(const ShardResult& r) {
    for (std::size_t k = 0; k < r.shard.sites.size(); ++k) {
      const std::size_t site = r.shard.sites[k];
      const auto [at, first] = sites_.try_emplace(site, r.summary().sites.at(k));
      if (!first) add_slices(r.summary().sites.at(k), at->second);
    }
  }

  void finish(ShardResult& merged) const {
    Summary& s = merged.solution.summary;
    s.sites.clear();
    double error = 0;
    for (const auto& [index, site] : sites_) {
      merged.shard.sites.push_back(index);
      s.sites.push_back(site);
      if (site.error) error = std::hypot(error, *site.error);
    }
    if (s.error) s.error = error;
  }

 private:
  std::map<std::size_t, SiteSummary> sites_;
};

// Returns one image of all stages; `parts` are in stage order.
Slices join_slices(const std::vector<Slices>& parts) {
  std::size_t count = 0;
  for (const Slices& part : parts) count += part.count();
  return {parts.front().pixels(), count, [=](std::size_t k, std::span<float> out) {
            std::size_t part = 0;
            while (k >= parts[part].count()) k -= parts[part++].count();
            const std::vector<float> slice = parts[part].slice(k);
            std::copy(slice.begin(), slice.end(), out.begin());
          }};
}

}  // namespace

ShardResult merge_side_by_side(const Study& study, std::vector<ShardResult> results) {
  FIRM_CHECK(!results.empty());
  if (results.size() == 1) return std::move(results.front());
  ShardResult merged;
  merged.shard.slices = {0, study.slices};
  merged.fingerprints.resize(study.sites.size());
  merged.solution.summary = results.front().summary();
  Summary& s = merged.solution.summary;
  s.local_iterations = 0;
  if (s.prior) s.prior->weights.clear();
  if (s.absorption) s.absorption->sites.clear();
  const std::size_t slots = study.sites.size() + (study.other ? 1 : 0);
  merged.solution.images = Block(study.pixels(), slots * study.slices);
  merged.solution.multiplier = Block(study.pixels(), study.slices);
  std::map<std::size_t, Variable> variables;
  SiteMerge sites;
  std::map<std::string, double> weights;
  for (const ShardResult& r : results) {
    for (const Variable& v : r.variables) variables[v.slot] = v;
    put_images(study, r, merged.solution.images);
    if (r.shard.has(0)) {
      put_slices(r.solution.multiplier, r.shard.slices.first, merged.solution.multiplier);
    }
    put_attenuation(study, r, merged.solution.attenuation);
    for (const std::size_t site : r.shard.sites) {
      if (r.shard.slices.count == study.slices) merged.fingerprints[site] = r.fingerprints[site];
    }
    sites.add(r);
    const Summary& own = r.summary();
    const double part =
        static_cast<double>(r.shard.slices.count) / static_cast<double>(study.slices);
    if (s.prior) add_weights(*own.prior, part, weights);
    if (s.absorption) add_absorption(*own.absorption, *s.absorption);
    s.certificate.min_w = std::min(s.certificate.min_w, own.certificate.min_w);
    s.local_iterations = std::max(s.local_iterations, own.local_iterations);
    s.projection_seconds = std::max(s.projection_seconds, own.projection_seconds);
  }
  for (const auto& [slot, variable] : variables) {
    merged.variables.push_back(variable);
    merged.solution.names.push_back(variable.name);
    if (weights.contains(variable.name)) {
      s.prior->weights.push_back({variable.name, weights[variable.name]});
    }
  }
  sites.finish(merged);
  return merged;
}

Summary merge_in_turn(const std::vector<ShardResult>& stages) {
  FIRM_CHECK(!stages.empty());
  Summary all = stages.front().summary();
  for (std::size_t k = 1; k < stages.size(); ++k) add_stage(stages[k].summary(), all);
  return all;
}

RunImages merge_images(const std::vector<std::string>& files,
                       const std::vector<ShardResult>& stages, const ImageGrid& grid) {
  const auto of = [&](const std::string& name) {
    std::vector<Slices> parts;
    for (std::size_t k = 0; k < files.size(); ++k) {
      parts.push_back(stored_images(files[k], name, grid, stages[k].shard.slices.count));
    }
    return join_slices(parts);
  };
  RunImages images;
  for (const Variable& v : stages.front().variables) images.variables.push_back(of(v.name));
  images.multiplier = of("multiplier");
  if (const auto& absorption = stages.front().summary().absorption) {
    for (const AbsorptionSummary::Site& site : absorption->sites) {
      for (const char* energy : {"incident", "line"}) {
        const std::string name = attenuation_name(site.name, energy);
        images.attenuation.push_back(attenuation_stack(name, of(name)));
      }
    }
  }
  return images;
}

}  // namespace firm
