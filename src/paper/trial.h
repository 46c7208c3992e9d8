// Trial: one run of one method on one sample of the paper's study, and what is kept of it.
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

// max(b) in the discrepancy rule: of the data with its noise, as the paper writes it, or of the
// data without, which makes the rule's level that of the noise.
enum class Largest { kNoisy, kNoiseFree };

// Which rounds of a run are kept. The distance to the truth costs a little time in every round.
enum class Curve { kNone, kRounds, kRoundsAndErrors };

struct Trial {
  int size = 250;
  int angles = 25;
  double noise = 0;  // s
  int sample = 1;    // seed of the noise
  std::string method;
  std::vector<std::pair<std::string, std::string>> settings;  // options of the method
  Largest largest = Largest::kNoisy;
  Curve curve = Curve::kNone;
  bool timed = false;       // its seconds are shown: it runs alone, on all threads
  int expected_rounds = 1;  // about; for the progress

  // Names all of the above but the last two; a file name.
  std::string id() const;
  // About the work, in updates of a pixel by a ray.
  double cost() const;
};

// Some rounds of a run: all of the first hundred, and then fewer and fewer.
struct Rounds {
  std::vector<double> round;
  std::vector<double> seconds;
  std::vector<double> objective;
  std::vector<double> step_norm;
  std::vector<double> violation;
  std::vector<double> error;  // distance to the truth; empty without
};

struct TrialResult {
  int rounds = 0;
  long local_iterations = 0;
  double seconds = 0;
  double objective = 0;
  double error = 0;                 // distance to the truth over all sites
  std::vector<double> site_errors;  // XRT last
  double primal = 0;                // ||D w||
  double multiplier = 0;            // ||mu||
  double floats_sent = 0;           // per site
  int first_small_step = 0;         // first round with a step norm <= kStepTolerance; 0: none
  std::string reason;               // why it ended
  Rounds curve;
};

// Tells how far the trial is, 0 to 1; false: give up.
using Watch = std::function<bool(double fraction)>;

// The study that a trial is about.
SimulatedStudy study_of(const Trial& trial);

// Runs it on `threads` threads. Throws Interrupted when `watch` said so.
TrialResult run(const Trial& trial, int threads, const Watch& watch);

struct Interrupted {};

Json to_json(const TrialResult& result);
TrialResult trial_result(const Json& json);

// "0.01" for people and file names.
std::string number_text(double value);

}  // namespace firm::paper
