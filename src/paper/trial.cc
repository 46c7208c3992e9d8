#include "paper/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "firm/error.h"
#include "firm/reconstruct.h"
#include "solve/solver.h"

namespace firm::paper {
namespace {

// Whether a curve keeps this round: the first hundred, then about a hundred per factor e.
bool is_kept(int round) {
  return round <= 100 ||
         static_cast<int>(100 * std::log(round)) != static_cast<int>(100 * std::log(round - 1));
}

void append(const RoundRecord& r, Rounds& curve) {
  curve.round.push_back(r.round);
  curve.seconds.push_back(r.seconds);
  curve.objective.push_back(r.objective);
  curve.step_norm.push_back(r.step_norm);
  curve.violation.push_back(r.violation.value_or(0));
  if (r.error) curve.error.push_back(*r.error);
}

double distance(const Block& a, const Block& b, std::size_t column) {
  double sum = 0;
  for (std::size_t p = 0; p < a.rows(); ++p) {
    const double d = static_cast<double>(a(p, column)) - static_cast<double>(b(p, column));
    sum += d * d;
  }
  return std::sqrt(sum);
}

double sum_of(const Block& block, std::size_t column) {
  double sum = 0;
  for (std::size_t p = 0; p < block.rows(); ++p) sum += static_cast<double>(block(p, column));
  return sum;
}

// Rounds to a thousandth of the largest value: enough for a picture.
void keep_images(const Block& images, TrialResult& result) {
  constexpr double kLevels = 1000;
  result.image_steps.assign(images.columns(), 0.0);
  for (std::size_t k = 0; k < images.size(); ++k) {
    double& step = result.image_steps[k % images.columns()];
    step = std::max(step, static_cast<double>(images.values()[k]) / kLevels);
  }
  for (std::size_t k = 0; k < images.size(); ++k) {
    const double step = result.image_steps[k % images.columns()];
    const auto value = static_cast<double>(images.values()[k]);
    result.image_codes.push_back(step > 0 ? static_cast<int>(std::lround(value / step)) : 0);
  }
}

void summarise(const Solution& solution, const Block& truth, TrialResult& result) {
  const Summary& s = solution.summary;
  result.rounds = s.rounds;
  result.local_iterations = s.local_iterations;
  result.seconds = s.seconds;
  result.objective = s.objective;
  result.primal = s.certificate.primal;
  result.multiplier = s.certificate.multiplier;
  result.floats_sent = s.sites.front().bytes_up / sizeof(float);
  result.reason = s.termination.reason;
  if (s.prior) result.prior_strength = s.prior->strength;
  double squares = 0;
  for (std::size_t i = 0; i < s.sites.size(); ++i) {
    result.site_errors.push_back(distance(solution.images, truth, i));
    squares += result.site_errors.back() * result.site_errors.back();
    const Block zero(truth.rows(), truth.columns());
    result.relative_errors.push_back(result.site_errors.back() / distance(truth, zero, i));
    result.masses.push_back(sum_of(solution.images, i) / sum_of(truth, i));
  }
  if (s.absorption) {
    result.outer_rounds = s.absorption->outer_rounds;
    for (const auto& site : s.absorption->sites) result.kept.push_back(site.kept_fraction());
  }
  result.error = std::sqrt(squares);
}

Json curve_json(const Rounds& c) {
  return {{"round", c.round},         {"seconds", c.seconds},     {"objective", c.objective},
          {"step_norm", c.step_norm}, {"violation", c.violation}, {"error", c.error}};
}

Rounds curve_of(const Json& j) {
  Rounds c;
  j.at("round").get_to(c.round);
  j.at("seconds").get_to(c.seconds);
  j.at("objective").get_to(c.objective);
  j.at("step_norm").get_to(c.step_norm);
  j.at("violation").get_to(c.violation);
  j.at("error").get_to(c.error);
  return c;
}

}  // namespace

std::string number_text(double value) { return fmt::format("{:g}", value); }

std::string Trial::id() const {
  std::string text =
      fmt::format("{}_{}-angles_s{:g}_sample{}_{}", size, angles, noise, sample, method);
  if (preset != "paper") text = preset + "_" + text;
  if (absorbing_field > 0) text += fmt::format("_absorbing-{:g}", absorbing_field);
  for (const auto& [key, value] : settings) text += fmt::format("_{}={}", key, value);
  if (largest == Largest::kNoiseFree) text += "_noise-free-level";
  if (curve == Curve::kRounds) text += "_rounds";
  if (curve == Curve::kRoundsAndErrors) text += "_errors";
  if (knows_sigma) text += "_sigma";
  if (keeps_images) text += "_images";
  return text;
}

double Trial::cost() const {
  const double beamlets = std::numbers::sqrt2 * size;
  return 8.0 * expected_rounds * angles * beamlets * size;
}

SimulatedStudy study_of(const Trial& trial) {
  SimulateOptions options;
  options.preset = trial.preset;
  options.size = trial.size;
  options.angles = trial.angles;
  options.noise = trial.noise;
  options.seed = static_cast<std::uint64_t>(trial.sample);
  options.threads = 1;
  if (trial.absorbing_field > 0) {
    options.self_absorption = true;
    options.pixel_size = trial.absorbing_field / trial.size;
  }
  const Simulation simulation = simulate(options);
  SimulatedStudy made = firm::study_of(simulation);
  for (std::size_t i = 0; i < made.data.size() && trial.largest == Largest::kNoiseFree; ++i) {
    made.data[i].largest = simulation.sites[i].largest;
  }
  for (std::size_t i = 0; i < made.data.size() && trial.knows_sigma; ++i) {
    made.study.sites[i].sigma = trial.noise * simulation.sites[i].largest;
  }
  return made;
}

namespace {

// Finds T first, as a run does.
Solution solve_absorbing(const SimulatedStudy& made, const SolveInput& input) {
  Study study = made.study;
  study.data = made.data;
  return reconstruct(study, input.options, input.observer);
}

}  // namespace

TrialResult run(const Trial& trial, int threads, const Watch& watch) {
  const SimulatedStudy made = study_of(trial);
  Problem problem(made.study, made.data, {threads});
  LocalCollective alone;
  SolveInput input;
  input.problem = &problem;
  input.collective = &alone;
  set_option(input.options, "trial", "method", trial.method);
  for (const auto& [key, value] : trial.settings) set_option(input.options, "trial", key, value);
  input.options.threads = threads;
  if (trial.curve == Curve::kRoundsAndErrors) input.truth = &made.truth;

  TrialResult result;
  RoundRecord last;
  bool interrupted = false;
  input.observer.interrupted = [&] { return interrupted; };
  input.observer.on_round = [&](const RoundRecord& r, int) {
    last = r;
    if (result.first_small_step == 0 && r.round > 0 && r.step_norm <= kStepTolerance) {
      result.first_small_step = r.round;
    }
    if (trial.curve != Curve::kNone && r.round > 0 && is_kept(r.round)) append(r, result.curve);
    const double fraction = static_cast<double>(r.round) / trial.expected_rounds;
    interrupted = watch && !watch(std::min(1.0, fraction));
  };
  const Solution solution = trial.absorbing_field > 0 ? solve_absorbing(made, input) : solve(input);
  if (solution.summary.termination.reason == "interrupted") throw Interrupted{};
  if (trial.curve != Curve::kNone && !is_kept(last.round)) append(last, result.curve);
  summarise(solution, made.truth, result);
  if (trial.keeps_images) keep_images(solution.images, result);
  return result;
}

Block images_of(const TrialResult& result, std::size_t pixels) {
  Block images(pixels, result.image_steps.size());
  FIRM_CHECK(images.size() == result.image_codes.size());
  for (std::size_t k = 0; k < images.size(); ++k) {
    images.values()[k] =
        static_cast<float>(result.image_codes[k] * result.image_steps[k % images.columns()]);
  }
  return images;
}

Json to_json(const TrialResult& r) {
  return {{"rounds", r.rounds},
          {"local_iterations", r.local_iterations},
          {"seconds", r.seconds},
          {"objective", r.objective},
          {"error", r.error},
          {"site_errors", r.site_errors},
          {"relative_errors", r.relative_errors},
          {"masses", r.masses},
          {"kept", r.kept},
          {"outer_rounds", r.outer_rounds},
          {"primal", r.primal},
          {"multiplier", r.multiplier},
          {"floats_sent", r.floats_sent},
          {"first_small_step", r.first_small_step},
          {"prior_strength", r.prior_strength},
          {"reason", r.reason},
          {"curve", curve_json(r.curve)},
          {"image_codes", r.image_codes},
          {"image_steps", r.image_steps}};
}

TrialResult trial_result(const Json& j) {
  TrialResult r;
  j.at("rounds").get_to(r.rounds);
  j.at("local_iterations").get_to(r.local_iterations);
  j.at("seconds").get_to(r.seconds);
  j.at("objective").get_to(r.objective);
  j.at("error").get_to(r.error);
  j.at("site_errors").get_to(r.site_errors);
  j.at("relative_errors").get_to(r.relative_errors);
  j.at("masses").get_to(r.masses);
  j.at("kept").get_to(r.kept);
  j.at("outer_rounds").get_to(r.outer_rounds);
  j.at("primal").get_to(r.primal);
  j.at("multiplier").get_to(r.multiplier);
  j.at("floats_sent").get_to(r.floats_sent);
  j.at("first_small_step").get_to(r.first_small_step);
  j.at("prior_strength").get_to(r.prior_strength);
  j.at("reason").get_to(r.reason);
  r.curve = curve_of(j.at("curve"));
  j.at("image_codes").get_to(r.image_codes);
  j.at("image_steps").get_to(r.image_steps);
  return r;
}

}  // namespace firm::paper
