// Problem: the part of a study that this process hosts, ready to compute with.
//
// The unknown images of a study are its *variables*, in this order: the XRF sites, `other` where
// the study has it, the XRT site. A process hosts the variables of some sites (all of them on one
// machine); `other` lives with the XRT site. Hosted images are the columns of one Block: variable v
// and slice z are column v * slices + z.
//
// If values have weights W (SiteData), A_i and b_i stand for W^1/2 A_i and W^1/2 b_i everywhere.
#pragma once

#include <string>
#include <vector>

#include "core/column_loop.h"
#include "firm/study.h"
#include "model/operators.h"

namespace firm {

struct Variable {
  std::string name;       // name of the site, or "other"
  std::size_t slot = 0;   // number among all variables of the study
  bool measured = false;  // has data of its own: all but `other`
  bool transmission = false;
  double d = 0;       // D w = sum_v d_v w_v: -c_i, -1 for `other`, 1 for XRT
  double weight = 0;  // 1 / s_i^2; 0 for `other`
  double sigma = 0;   // noise of the data, known or guessed; 0: unknown, or `other`
  NoiseSource noise_source = NoiseSource::kGiven;
  Geometry geometry;  // of XRT for `other`
  const ProjectorFactory* projectors = &plain_projectors();

  // Not coupled with XRT, because its scale is unknown: its image is in counts per cm.
  bool uncoupled() const { return measured && !transmission && d == 0; }
  ImageOperator matrix() const { return {measured ? &geometry : nullptr, *projectors}; }
};

// Returns all variables of a study, in order.
std::vector<Variable> all_variables(const Study& study);

struct ProblemOptions {
  int threads = 0;  // 0: all
  std::string kernel = "auto";
  // Factory of the matrix of each site, by its index in the study; empty: plain rays for all.
  // Factories must outlive the problem.
  std::vector<const ProjectorFactory*> projectors = {};
};

class Problem {
 public:
  // Throws firm::Error if data does not fit the study or is not finite.
  Problem(Study study, const std::vector<SiteData>& data, const ProblemOptions& options = {});

  const Study& study() const { return study_; }
  int threads() const { return threads_; }
  std::size_t slices() const { return study_.slices; }
  std::size_t pixels() const { return study_.pixels(); }

  const std::vector<Variable>& variables() const { return variables_; }
  std::size_t columns() const { return variables_.size() * slices(); }
  // Number of all variables of the study, hosted or not, and their d.
  std::size_t slots() const { return study_.sites.size() + (study_.other ? 1 : 0); }
  std::vector<double> all_d() const;
  // Returns true if all variables are hosted here.
  bool complete() const { return variables_.size() == slots(); }
  // Position of the XRT variable among the hosted ones, or variables().size().
  std::size_t transmission() const;

  // A_i of the hosted variables, and their data b_i.
  Operators& operators() { return operators_; }
  const Operators& operators() const { return operators_; }
  const Sinograms& data() const { return data_; }
  // max(b) and the number of rays of each hosted column, excluding values of weight 0; 0 for
  // `other`.
  const std::vector<double>& largest() const { return largest_; }
  const std::vector<std::size_t>& rays() const { return rays_; }
  // ||A w - b|| of a hosted variable, over all slices, if all of it is noise: sigma sqrt(m). 0 if
  // the noise is unknown.
  double noise_scale(std::size_t variable) const;
  // ||b||^2 of each hosted column.
  const std::vector<double>& energy() const { return energy_; }

  // lambda_max(A_i^T A_i) / s_i^2 of each hosted column; that of XRT for `other`.
  const std::vector<double>& curvature() const { return curvature_; }
  // lambda_max(A_i^T A_i), the largest of the hosted sites.
  double lambda_max() const { return lambda_max_; }

  // Replaces the data of a hosted site; a site with weights must keep having weights. Called by a
  // refiner; the method must be told (Method::problem_changed).
  void replace_data(const SiteData& data);
  // Measures the curvature again, after the matrices that a factory makes have changed.
  void matrices_changed();

 private:
  void set_data(const SiteData& data);
  void set_values(const SiteData& data, std::size_t variable);
  void measure_curvature();

  Study study_;
  int threads_;
  std::vector<Variable> variables_;
  Operators operators_;
  Sinograms data_;
  std::vector<double> largest_;
  std::vector<std::size_t> rays_;
  std::vector<double> energy_;
  std::vector<double> curvature_;
  double lambda_max_ = 0;
};

// Computes y = A w - b and its sum of squares for each column. Holds scratch: use one per method.
class Residual {
 public:
  explicit Residual(Problem& problem);

  // y <- weight (A w - b), weight = 1 / s^2, given y = A w.
  void subtract_data(Sinograms& y);
  // ||A w - b||^2 of each hosted column, from the last call.
  const std::vector<double>& squares() const { return squares_; }
  // sum_i (1 / s_i^2) ||A_i w_i - b_i||^2 over the hosted sites.
  double objective() const;

 private:
  Problem* problem_;
  std::vector<ColumnLoop> loops_;
  std::vector<std::vector<float>> weights_;  // pattern of each group
  std::vector<double> squares_;
};

}  // namespace firm
