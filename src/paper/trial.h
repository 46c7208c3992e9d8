// Trial: one run of one method on one sample of the paper's study, and its result.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/simulated_study.h"

namespace firm::paper {

using Json = nlohmann::ordered_json;

// The paper's tolerance eps for ||w^t - w^{t-1}|| of FedPGD and PGD.
inline constexpr double kStepTolerance = 1e-2;

// Data that max(b) of the discrepancy rule is taken from: noisy data, as in the paper, or data
// without noise, which makes the rule stop at the level of the noise.
enum class Largest { kNoisy, kNoiseFree };

// Whether a trial keeps its rounds. The distance to the truth costs a little time in every round.
enum class Curve { kNone, kRounds, kRoundsAndErrors };

struct Trial {
  std::string preset = "paper";  // of SimulateOptions
  int size = 250;
  int angles = 25;
  double noise = 0;  // s
  int sample = 1;    // seed of the noise
  // Self-absorption in an image of this size, in cm; 0: none.
  double absorbing_field = 0;
  std::string method;
  std::vector<std::pair<std::string, std::string>> settings;  // options: key and value
  Largest largest = Largest::kNoisy;
  Curve curve = Curve::kNone;
  bool knows_sigma = false;  // the study gives sigma = s max(b), b without noise, of each site
  bool keeps_images = false;
  bool timed = false;       // runs alone on all threads, because its time is shown
  int expected_rounds = 1;  // estimate, for the progress

  // Name made of all members but the last two; can be a file name.
  std::string id() const;
  // Estimate of the work, in updates of a pixel by a ray.
  double cost() const;
};

// Selected rounds of a run: all of the first hundred, and then fewer and fewer.
struct Rounds {
  std::vector<double> round;
  std::vector<double> seconds;
  std::vector<double> objective;
  std::vector<double> step_norm;
  std::vector<double> violation;
  std::vector<double> error;  // distance to the truth; empty if not computed
};

struct TrialResult {
  int rounds = 0;
  long local_iterations = 0;
  double seconds = 0;
  double objective = 0;
  double error = 0;                     // distance to the truth over all sites
  std::vector<double> site_errors;      // XRT last
  std::vector<double> relative_errors;  // over the norm of the truth; XRT last
  std::vector<double> masses;           // over the true ones; XRT last
  std::vector<double> kept;             // fraction of the fluorescence; empty: not corrected
  int outer_rounds = 0;                 // of self-absorption
  double primal = 0;                    // ||D w||
  double multiplier = 0;                // ||mu||
  double floats_sent = 0;               // per site
  int first_small_step = 0;             // first round with a step norm <= kStepTolerance; 0: none
  double prior_strength = 0;            // 0: no prior
  std::string reason;                   // stop rule that ended the run
  Rounds curve;
  // Images of a trial that keeps them, pixel by pixel and site by site; code k of site i stands for
  // k image_steps[i].
  std::vector<int> image_codes;
  std::vector<double> image_steps;
};

// Receives the progress of a trial, 0 to 1; returns false to interrupt it.
using Watch = std::function<bool(double fraction)>;

// Simulates the study of a trial.
SimulatedStudy study_of(const Trial& trial);

// Runs a trial on `threads` threads. Throws Interrupted when `watch` returns false.
TrialResult run(const Trial& trial, int threads, const Watch& watch);

struct Interrupted {};

// Images that the result has kept: pixels x sites.
Block images_of(const TrialResult& result, std::size_t pixels);

Json to_json(const TrialResult& result);
TrialResult trial_result(const Json& json);

// Formats a number for texts and file names, for instance "0.01".
std::string number_text(double value);

}  // namespace firm::paper
