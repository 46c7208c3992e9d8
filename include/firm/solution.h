// Solution: the images of a study, a summary of the run, and how far the images are from optimal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firm/block.h"
#include "firm/options.h"
#include "firm/refinement.h"
#include "firm/study.h"

namespace firm {

// Certificate: how far images are from optimal. By the paper's definition, images w are (eps_p,
// eps_s)-optimal if there is a mu with
//
//     w >= 0,   ||D w|| <= eps_p,   grad f(w) + D^T mu in -N(w) + B(eps_s).
struct Certificate {
  double objective = 0;     // f(w)
  double primal = 0;        // ||D w||
  double min_w = 0;         // smallest value of any image
  double stationarity = 0;  // ||projected gradient||
  double relative = 0;      // stationarity / ||A^T b||
  double multiplier = 0;    // ||mu||
  // Bound of f(w) - min f, at least 0; none without a prior, or if the bound is not finite.
  std::optional<double> gap = {};
  std::vector<double> squares;  // ||A w - b||^2 of each column of the images
};

// Why a run ended.
struct Termination {
  std::string reason;   // "eps", "kkt", "rounds", ...
  std::string message;  // with the numbers
  bool converged = true;
};

// Metrics of one round: they describe the images after `round` rounds.
struct RoundRecord {
  int round = 0;
  double seconds = 0;
  double objective = 0;
  double step_norm = 0;             // ||w - w_before||
  std::optional<double> violation;  // ||D w||, if this process knows it
  double kkt = 0;                   // relative; may belong to the images of the round before
  double step_size = 0;             // eta, if the method has one
  std::vector<double> residuals;    // ||A_i w_i - b_i|| of each image, over all slices
  std::vector<double> noise;        // the residual that noise alone would leave; 0: unknown
  std::optional<double> error;      // distance to the truth, if it is known
  // Forecast, not part of the history: the round at which the run will end (0: unknown), and
  // whether a limit says so (true) or the trend of a stop rule (false).
  int end = 0;
  bool end_is_limit = false;
};

struct SiteSummary {
  std::string name;
  double residual = 0;     // ||A_i w_i - b_i||
  double discrepancy = 0;  // residual / (max(b_i) sqrt(m_i)): the noise level of this fit
  double full_scale = 0;   // residual at a noise level of 1, over all slices
  double sigma = 0;        // noise of the data, in its unit; 0: unknown
  NoiseSource noise_source = NoiseSource::kGiven;
  double noise_scale = 0;  // the residual that noise alone would leave; 0: unknown
  double bytes_up = 0;     // traffic that this site would have on a machine of its own
  double bytes_down = 0;
  std::optional<double> error;  // ||w_i - truth||
  // ||A_i w - b_i|| of an image w made from the data of this site alone; none: not compared,
  // because the joint image fits the data, or is not final.
  std::optional<double> residual_alone;

  // Root mean square of (A_i w_i - b_i) / sigma over the rays that count: about 1 if the data is
  // fitted to its noise. None if the noise is unknown.
  std::optional<double> fit() const;
  // Fit of the image that is made from this data alone.
  std::optional<double> fit_alone() const;
  // Part of the squared misfit that the image alone does not have: what the other sites bring in.
  std::optional<double> others_share() const;
  // Whether the data is fitted alone, or far better alone, but not together with the other sites:
  // data or scale of one of them, or of this one, is wrong.
  bool contradicted() const;
  // Whether the images miss the data, for this or any other reason.
  bool missed() const;
};

// Fits outside of this range call for a warning: the data is missed, or its noise is fitted.
inline constexpr double kMissed = 2;
inline constexpr double kOverfitted = 0.5;
// A joint fit that is larger than the noise, and than the fit alone, by this factor is contradicted
// by the other sites, if these bring in more than 1 % of the largest value (docs/method.md).
inline constexpr double kContradicted = 1.1;
// The factor for a site that is missed even alone, such as one with a sigma that is too small. Data
// that no image fits is missed jointly by up to twice as much as alone: with the sign reversed, by
// b alone, where w = 0, and by 2 b together with sites that hold w at the true image.
inline constexpr double kContradictedAnyway = 2.5;

// The prior of a run.
struct PriorSummary {
  std::string kind;
  double strength = 0;  // rho; NaN if chunks have found different ones
  bool automatic = false;
  struct Point {
    double strength = 0;
    double error = 0;  // sum of (A_i w_i - b_i)^2 / s_i^2 over the rays left out
  };
  std::vector<Point> curve;  // of the search; empty if the strength was given
  struct Weight {
    std::string name;   // of the image
    double lambda = 0;  // mean over its slices
  };
  std::vector<Weight> weights;
  std::string solver;  // of the local problems: "proximal gradient", or "primal-dual" at low noise
};

// Self-absorption of a run.
struct AbsorptionSummary {
  Attenuation attenuation = Attenuation::kElements;
  std::string start;     // images of the first T: "xrt" or "plain"
  int outer_rounds = 0;  // how often T was made
  struct Site {
    std::string name;
    double incident_energy = 0;  // keV
    double line_energy = 0;      // keV
    std::vector<double> masses;  // g: without absorption first, then after each outer round
    double emitted = 0;          // sum of A w over all rays
    double kept = 0;             // sum of A diag(T) w: what reaches the detector
    double kept_fraction() const { return emitted > 0 ? kept / emitted : 1; }
  };
  std::vector<Site> sites;  // XRF sites
};

struct Summary {
  std::string method;
  int rounds = 0;
  int exchanges = 0;  // sums, including those before and after the rounds
  long local_iterations = 0;
  double objective = 0;
  double step_norm = 0;
  double lambda_max = 0;
  double projection_seconds = 0;
  double seconds = 0;
  int threads = 0;
  std::string kernel;
  Certificate certificate;
  Termination termination;
  StopOptions stop;  // the rules in force, with the method's defaults
  std::vector<SiteSummary> sites;
  std::optional<PriorSummary> prior;            // none: the run had no prior
  std::optional<Refinement> refined;            // what alignment found; none: nothing was refined
  std::optional<AbsorptionSummary> absorption;  // none: the study has no self-absorption
  std::optional<double> error;                  // distance to the truth over all sites

  // Returns true if no site with known noise misses its data; none if no noise is known.
  std::optional<bool> fits() const;
};

// Attenuation that T of an XRF site was made from, in the last outer round: pixels x slices, 1/cm.
struct AttenuationImages {
  std::string site;
  Block incident;  // at the energy of its beam
  Block line;      // at the energy of its line
};

struct Solution {
  Summary summary;
  std::vector<std::string> names;  // names of the images: sites, and `other` if the study has it
  Block images;      // pixels x (names x slices): slice z of image v is column v * slices + z
  Block multiplier;  // mu: pixels x slices
  std::vector<AttenuationImages> attenuation = {};  // empty: no self-absorption

  std::size_t slices() const { return multiplier.columns(); }
  // Returns the image of a site or of `other`: pixels x slices, in g/cm^3 (XRF) or 1/cm (XRT,
  // `other`). Throws firm::Error for an unknown name.
  Block image(const std::string& name) const;
};

}  // namespace firm
