// Random studies that are small enough for dense matrices: pixels of about 1 cm, so that
// lambda_max(A^T A) is between 1 and 100. Equal options give equal studies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "firm/projector.h"
#include "firm/study.h"
#include "model/problem.h"
#include "sim/noise.h"
#include "sim/simulated_study.h"
#include "solve/solver.h"

namespace firm {

struct SmallStudyOptions {
  std::uint64_t seed = 1;
  std::size_t sites = 4;
  int rows = 6;
  int columns = 6;
  int angles = 4;
  std::size_t slices = 1;
  bool other = false;
  bool own_geometry = false;     // different angles, beamlets and rotation axis at every site
  bool own_sigma = false;        // sigma of 0.5 to 1.5 where the data is about 1
  double coefficient_sum = 0.9;  // sum of c_i; above 1, XRF data has a smaller unit
  double noise = 0.05;           // fraction of a site's largest value
  double pixel_size = 1;
  double smallest = 0;  // c_v w_v >= smallest; above 0, no pixel needs clipping
  int zero_site = -1;   // a site whose data is zero
};

using SmallStudy = SimulatedStudy;

namespace small_study {

// Angles over half a turn from a random start; site 0 keeps the paper's geometry.
inline Geometry geometry_of(const SmallStudyOptions& o, std::size_t site, Random& random) {
  Geometry g = paper_geometry(std::max(o.rows, o.columns), o.angles, o.pixel_size);
  g.image_rows = o.rows;
  g.image_columns = o.columns;
  if (!o.own_geometry || site == 0) return g;
  g.angles = half_turn(o.angles + static_cast<int>(site % 3));
  for (double& angle : g.angles) angle += random.uniform() / 3;
  g.beamlets += static_cast<int>(site % 2);
  g.spacing = o.pixel_size * (0.8 + 0.3 * random.uniform());
  g.rotation_axis = g.beamlets / 2.0 + random.uniform() - 0.5;
  if (site % 2 == 1) {
    for (std::size_t k = 0; k < g.angles.size(); ++k) g.shifts.push_back(random.uniform() - 0.5);
  }
  return g;
}

// Random c with the given sum.
inline std::vector<double> coefficients(const SmallStudyOptions& o, Random& random) {
  std::vector<double> c(o.sites - 1);
  double sum = 0;
  for (double& value : c) {
    value = 0.2 + random.uniform();
    sum += value;
  }
  for (double& value : c) value *= o.coefficient_sum / sum;
  return c;
}

// Half of the pixels have the smallest value, the others are up to 1 larger.
inline double random_value(const SmallStudyOptions& o, Random& random) {
  const double more = random.uniform();
  return random.uniform() < 0.5 ? o.smallest : o.smallest + more;
}

inline Study make_study(const SmallStudyOptions& o, Random& random) {
  Study study;
  study.name = "small " + std::to_string(o.seed);
  study.image_rows = o.rows;
  study.image_columns = o.columns;
  study.pixel_size = o.pixel_size;
  study.slices = o.slices;
  study.other = o.other;
  const std::vector<double> c = coefficients(o, random);
  for (std::size_t i = 0; i < o.sites; ++i) {
    Site site;
    const bool last = i + 1 == o.sites;
    site.name = last ? "xrt" : "xrf-" + std::to_string(i + 1);
    site.kind = last ? SiteKind::kXrt : SiteKind::kXrf;
    site.coefficient = last ? 0 : c[i];
    site.sigma = o.own_sigma ? (0.5 + random.uniform()) / std::max(1.0, site.coefficient) : 1;
    site.geometry = geometry_of(o, i, random);
    study.sites.push_back(site);
  }
  return study;
}

// Truth that satisfies the coupling; the largest c_i w_i is about 1 for any c_i.
inline Block make_truth(const SmallStudyOptions& o, const Study& study, Random& random) {
  const std::size_t variables = study.sites.size() + (study.other ? 1 : 0);
  Block truth(study.pixels(), variables * study.slices);
  for (std::size_t p = 0; p < truth.rows(); ++p) {
    for (std::size_t z = 0; z < study.slices; ++z) {
      double sum = 0;
      for (std::size_t v = 0; v + 1 < variables; ++v) {
        const bool site = v + 1 < study.sites.size();
        const double c = site ? study.sites[v].coefficient : 1;
        auto value = static_cast<float>(random_value(o, random) / std::max(1.0, c));
        if (static_cast<int>(v) == o.zero_site) value = 0;
        truth(p, v * study.slices + z) = value;
        sum += c * static_cast<double>(value);
      }
      truth(p, (variables - 1) * study.slices + z) = static_cast<float>(sum);
    }
  }
  return truth;
}

inline SiteData measure(const SmallStudyOptions& o, const Study& study, std::size_t site,
                        const Block& truth, Random& random) {
  const bool last = site + 1 == study.sites.size();
  const std::size_t variable = last && study.other ? site + 1 : site;
  Block image(study.pixels(), study.slices);
  for (std::size_t p = 0; p < image.rows(); ++p) {
    for (std::size_t z = 0; z < study.slices; ++z) {
      image(p, z) = truth(p, variable * study.slices + z);
    }
  }
  const Geometry& geometry = study.sites[site].geometry;
  SiteData data{site, Block(geometry.rays(), study.slices)};
  if (static_cast<int>(site) == o.zero_site) return data;
  make_projector(geometry, {"reference", 1, 1})->forward(image, data.values);
  add_gaussian_noise(o.noise, random, data.values);
  return data;
}

}  // namespace small_study

inline SmallStudy make_small_study(const SmallStudyOptions& o) {
  Random random(o.seed, 0);
  SmallStudy made;
  made.study = small_study::make_study(o, random);
  made.truth = small_study::make_truth(o, made.study, random);
  for (std::size_t i = 0; i < o.sites; ++i) {
    made.data.push_back(small_study::measure(o, made.study, i, made.truth, random));
  }
  return made;
}

// Solves a study with all sites in this process; threads = 0: all.
inline Solution solve_small(const SmallStudy& small, const SolveOptions& options,
                            const Observer& observer = {}, int threads = 1) {
  Problem problem(small.study, small.data, {threads});
  LocalCollective alone;
  SolveInput input;
  input.problem = &problem;
  input.collective = &alone;
  input.options = options;
  input.observer = observer;
  return solve(input);
}

// Three sites and few pixels, for tests of all methods.
inline const SmallStudyOptions kPlain{.seed = 91, .sites = 3, .rows = 5, .angles = 5};

// Options independent of the unit of length, with few local steps.
inline SolveOptions with_method(const std::string& method) {
  SolveOptions options;
  options.method = method;
  options.firm.rule = "relative";
  options.ds.local_steps = 1;  // a run of several rounds
  return options;
}

}  // namespace firm
