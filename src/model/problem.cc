#include "model/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/interruption.h"
#include "core/parallel.h"
#include "firm/error.h"

namespace firm {
namespace {

Variable site_variable(const Study& study, std::size_t index) {
  const Site& site = study.sites[index];
  Variable v;
  v.name = site.name;
  v.transmission = site.kind == SiteKind::kXrt;
  v.slot = index + (v.transmission && study.other ? 1 : 0);
  v.measured = true;
  v.d = v.transmission ? 1 : -site.coefficient;
  v.weight = study.weight(index);
  v.sigma = study.noise_known() ? site.sigma : 0;
  v.noise_source = site.noise_source;
  v.geometry = site.geometry;
  return v;
}

Variable other_variable(const Study& study) {
  Variable v;
  v.name = "other";
  v.slot = study.sites.size() - 1;
  v.d = -1;
  v.geometry = study.xrt().geometry;
  return v;
}

void add_variables(const Study& study, std::size_t site, std::vector<Variable>& variables) {
  const Variable v = site_variable(study, site);
  if (v.transmission && study.other) variables.push_back(other_variable(study));
  variables.push_back(v);
}

// Returns the variables of the hosted sites, in the order of the study.
std::vector<Variable> hosted_variables(const Study& study, const std::vector<SiteData>& data,
                                       const std::vector<const ProjectorFactory*>& projectors) {
  study.validate();
  FIRM_CHECK(projectors.empty() || projectors.size() == study.sites.size());
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < study.sites.size(); ++i) {
    const auto here = [&](const SiteData& d) { return d.site == i; };
    if (!std::any_of(data.begin(), data.end(), here)) continue;
    add_variables(study, i, variables);
    if (!projectors.empty()) variables.back().projectors = projectors[i];
  }
  return variables;
}

std::vector<ImageOperator> matrices_of(const std::vector<Variable>& variables) {
  std::vector<ImageOperator> matrices;
  for (const Variable& v : variables) matrices.push_back(v.matrix());
  return matrices;
}

void check_shape(const Study& study, const SiteData& data) {
  const Site& site = study.sites[data.site];
  if (data.values.rows() == site.geometry.rays() && data.values.columns() == study.slices) return;
  throw data_error(
      {"site " + site.name, "data",
       fmt::format("{} rays ({} angles x {} beamlets) and {} slice(s)", site.geometry.rays(),
                   site.geometry.angles.size(), site.geometry.beamlets, study.slices),
       fmt::format("{} rays and {} slice(s)", data.values.rows(), data.values.columns())});
}

void check_finite(const Study& study, const SiteData& data) {
  const Site& site = study.sites[data.site];
  constexpr std::size_t kPiece = 1024;
  for (std::size_t ray = 0; ray < data.values.rows(); ++ray) {
    if (ray % kPiece == 0) check_interruption();
    for (std::size_t z = 0; z < data.values.columns(); ++z) {
      const float value = data.values(ray, z);
      if (std::isfinite(value)) continue;
      const auto beamlets = static_cast<std::size_t>(site.geometry.beamlets);
      throw data_error({"site " + site.name, "data", "finite numbers",
                        fmt::format("{} at slice {}, angle {}, beamlet {}", value, z,
                                    ray / beamlets, ray % beamlets)});
    }
  }
}

void check_weights(const Study& study, const SiteData& data) {
  const std::string site = "site " + study.sites[data.site].name;
  if (data.weights.rows() != data.values.rows() ||
      data.weights.columns() != data.values.columns()) {
    throw data_error(
        {site, "weights", "one for each value of the data",
         fmt::format("{} rays and {} slice(s)", data.weights.rows(), data.weights.columns())});
  }
  for (const float weight : data.weights.values()) {
    if (weight >= 0 && weight <= 1) continue;
    throw data_error({site, "weights", "numbers from 0 to 1", fmt::format("{}", weight)});
  }
}

}  // namespace

std::vector<Variable> all_variables(const Study& study) {
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < study.sites.size(); ++i) add_variables(study, i, variables);
  return variables;
}

Problem::Problem(Study study, const std::vector<SiteData>& data, const ProblemOptions& options)
    : study_(std::move(study)),
      threads_(thread_count(options.threads)),
      variables_(hosted_variables(study_, data, options.projectors)),
      operators_(matrices_of(variables_), study_.slices, threads_, options.kernel),
      data_(operators_.make_sinograms()),
      largest_(columns(), 0.0),
      rays_(columns(), 0),
      energy_(columns(), 0.0) {
  study_.data.clear();  // data_ holds the data from here on
  for (const SiteData& d : data) set_data(d);
  measure_curvature();
}

std::vector<double> Problem::all_d() const {
  std::vector<double> d;
  for (const Site& site : study_.sites) {
    if (site.kind == SiteKind::kXrf) d.push_back(-site.coefficient);
  }
  if (study_.other) d.push_back(-1);
  d.push_back(1);
  return d;
}

std::size_t Problem::transmission() const {
  const auto at = std::find_if(variables_.begin(), variables_.end(),
                               [](const Variable& v) { return v.transmission; });
  return static_cast<std::size_t>(at - variables_.begin());
}

void Problem::set_data(const SiteData& d) {
  FIRM_CHECK(d.site < study_.sites.size());
  check_shape(study_, d);
  check_finite(study_, d);
  const std::size_t slot = site_variable(study_, d.site).slot;
  const auto at = std::find_if(variables_.begin(), variables_.end(),
                               [&](const Variable& v) { return v.slot == slot; });
  FIRM_CHECK(at != variables_.end());
  if (!study_.noise_known()) {
    at->sigma = d.guessed_sigma;
    at->noise_source = NoiseSource::kGuessed;
  }
  set_values(d, static_cast<std::size_t>(at - variables_.begin()));
}

double Problem::noise_scale(std::size_t variable) const {
  const auto first = rays_.begin() + static_cast<std::ptrdiff_t>(variable * slices());
  const auto rays =
      std::accumulate(first, first + static_cast<std::ptrdiff_t>(slices()), std::size_t{0});
  return variables_[variable].sigma * std::sqrt(static_cast<double>(rays));
}

void Problem::set_values(const SiteData& d, std::size_t v) {
  const bool weighted = d.weights.size() > 0;
  if (weighted) {
    check_weights(study_, d);
    study_.sites[d.site].weighted_values = true;
    operators_.weigh(v, d.weights);
  }
  Block b = d.values;
  for (std::size_t z = 0; z < slices(); ++z) {
    check_interruption();
    const std::size_t column = v * slices() + z;
    largest_[column] = -std::numeric_limits<double>::infinity();
    rays_[column] = 0;
    energy_[column] = 0;
    for (std::size_t ray = 0; ray < b.rows(); ++ray) {
      const float weight = weighted ? d.weights(ray, z) : 1.0f;
      if (weight > 0) {
        ++rays_[column];
        largest_[column] = std::max(largest_[column], static_cast<double>(b(ray, z)));
      }
      b(ray, z) *= std::sqrt(weight);
      energy_[column] += static_cast<double>(b(ray, z)) * static_cast<double>(b(ray, z));
    }
    if (rays_[column] == 0) {
      throw data_error({"site " + variables_[v].name, "weights",
                        fmt::format("a value of slice {} that counts", z), "none"});
    }
    if (d.largest > 0) largest_[column] = d.largest;
  }
  operators_.put(b, v, data_);
}

void Problem::replace_data(const SiteData& data) {
  FIRM_CHECK((data.weights.size() > 0) == study_.sites[data.site].weighted_values);
  set_data(data);
}

void Problem::matrices_changed() {
  operators_.forget_norms();
  measure_curvature();
}

void Problem::measure_curvature() {
  const std::vector<double>& lambda = operators_.lambda_max();
  curvature_.clear();
  lambda_max_ = 0;
  for (std::size_t c = 0; c < lambda.size(); ++c) {
    const std::size_t v = c / slices();
    if (variables_[v].measured && !(lambda[c] > 0)) {
      throw data_error({"site " + variables_[v].name, "geometry", "rays that meet the image",
                        "none (check pixel_size, spacing and rotation_axis)"});
    }
    lambda_max_ = std::max(lambda_max_, lambda[c]);
    curvature_.push_back(lambda[c] * variables_[v].weight);
  }
  for (std::size_t c = 0; c < lambda.size(); ++c) {
    if (!variables_[c / slices()].measured) {
      curvature_[c] = curvature_[transmission() * slices() + c % slices()];
    }
  }
}

Residual::Residual(Problem& problem) : problem_(&problem), squares_(problem.columns(), 0.0) {
  Operators& operators = problem.operators();
  for (std::size_t g = 0; g < operators.groups().size(); ++g) {
    const Block& b = problem.data()[g];
    loops_.emplace_back(b.rows(), b.columns(), 1, problem.threads());
    weights_.push_back(loops_.back().pattern([&](std::size_t column) {
      return problem.variables()[operators.image_column(g, column) / problem.slices()].weight;
    }));
  }
}

void Residual::subtract_data(Sinograms& y) {
  for (std::size_t g = 0; g < y.size(); ++g) {
    const float* b = problem_->data()[g].data();
    const float* weight = weights_[g].data();
    float* values = y[g].data();
    loops_[g].run([=](std::size_t k, std::size_t j, float* sums) {
      const float r = values[k] - b[k];
      sums[j] += r * r;
      values[k] = weight[j] * r;
    });
    for (std::size_t c = 0; c < y[g].columns(); ++c) {
      squares_[problem_->operators().image_column(g, c)] = loops_[g].sum(0, c);
    }
  }
}

double Residual::objective() const {
  double f = 0;
  for (std::size_t c = 0; c < squares_.size(); ++c) {
    f += problem_->variables()[c / problem_->slices()].weight * squares_[c];
  }
  return f;
}

}  // namespace firm
