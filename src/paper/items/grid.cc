#include "paper/items/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firm/error.h"
#include "solve/method_names.h"

namespace firm::paper {
namespace {

// When a reconstruction of each site alone stops without noise.
enum class AloneStop { kStep, kRounds };

Trial joint_trial(const Plan& plan, int angles, double s, double gamma, int sample,
                  Largest largest = Largest::kNoisy) {
  Trial trial = s == 0 ? plan.firm(s) : plan.trial(method::kFirm, s);
  trial.angles = angles;
  trial.sample = sample;
  trial.largest = largest;
  if (s == 0) return trial;
  trial.settings.emplace_back("firm.step_scale", number_text(gamma));
  return until_discrepancy(trial, gamma);
}

Trial noisy_alone(const Plan& plan, int angles, double s, double gamma, int sample,
                  Largest largest = Largest::kNoisy) {
  Trial trial = plan.trial(method::kPgd, s);
  trial.angles = angles;
  trial.sample = sample;
  trial.largest = largest;
  trial.settings.emplace_back("pgd.step_scale", number_text(gamma));
  return until_discrepancy(trial, gamma);
}

Trial clean_alone(const Plan& plan, int angles, AloneStop stop) {
  Trial trial = plan.trial(method::kPgd, 0);
  trial.angles = angles;
  if (stop == AloneStop::kRounds) return for_rounds(trial, plan.firm_rounds());
  trial.settings = {{"stop.step", number_text(kStepTolerance)}};
  trial.expected_rounds = 600;
  return trial;
}

Cell make_cell(int angles, double s, double gamma, const std::vector<TrialResult>& joint,
               const std::vector<TrialResult>& alone) {
  Cell cell{angles, s, gamma, static_cast<int>(joint.size())};
  std::vector<double> distances[2];
  std::vector<double> gaps;
  for (std::size_t k = 0; k < joint.size(); ++k) {
    distances[0].push_back(joint[k].error);
    distances[1].push_back(alone[k].error);
    gaps.push_back(100 * (alone[k].error - joint[k].error) / alone[k].error);
    cell.joint_rounds += joint[k].rounds / static_cast<double>(joint.size());
    cell.alone_rounds += alone[k].rounds / static_cast<double>(joint.size());
  }
  cell.joint = spread_of(distances[0]);
  cell.alone = spread_of(distances[1]);
  cell.gap = spread_of(gaps);
  return cell;
}

// The value below which a fraction q of the sorted values lies, interpolated.
double percentile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto k = static_cast<std::size_t>(at);
  const double rest = at - static_cast<double>(k);
  return k + 1 < sorted.size() ? sorted[k] + rest * (sorted[k + 1] - sorted[k]) : sorted[k];
}

Cell noisy_cell(const Plan& plan, const Results& results, int angles, double s, double gamma,
                Largest largest = Largest::kNoisy) {
  std::vector<TrialResult> joint;
  std::vector<TrialResult> alone;
  for (int sample = 1; sample <= plan.samples_of(gamma); ++sample) {
    joint.push_back(results.get(joint_trial(plan, angles, s, gamma, sample, largest)));
    alone.push_back(results.get(noisy_alone(plan, angles, s, gamma, sample, largest)));
  }
  return make_cell(angles, s, gamma, joint, alone);
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  FIRM_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  Spread spread{0, percentile(values, 0.2), percentile(values, 0.8), values.front()};
  for (const double v : values) spread.mean += v / static_cast<double>(values.size());
  return spread;
}

const Cell& Grid::cell(int angle_count, double s, double gamma) const {
  const auto found = std::find_if(noisy.begin(), noisy.end(), [&](const Cell& c) {
    return c.angles == angle_count && c.s == s && c.gamma == gamma;
  });
  FIRM_CHECK(found != noisy.end());
  return *found;
}

double Grid::largest_distance() const {
  double largest = 0;
  for (const auto* cells : {&by_step, &noisy}) {
    for (const Cell& c : *cells) largest = std::max({largest, c.joint.high, c.alone.high});
  }
  return largest;
}

double mean_gap(const std::vector<Cell>& cells, double s, double gamma) {
  double sum = 0;
  int count = 0;
  for (const Cell& c : cells) {
    if (c.s != s || c.gamma != gamma) continue;
    sum += c.gap.mean;
    ++count;
  }
  FIRM_CHECK(count > 0);
  return sum / count;
}

std::vector<Trial> grid_trials(const Plan& plan) {
  std::vector<Trial> trials;
  for (const int angles : plan.grid_angles) {
    trials.push_back(joint_trial(plan, angles, 0, 1, 1));
    trials.push_back(clean_alone(plan, angles, AloneStop::kStep));
    trials.push_back(clean_alone(plan, angles, AloneStop::kRounds));
    for (const double s : plan.noise) {
      if (s == 0) continue;
      for (int sample = 1; sample <= plan.samples_of(1); ++sample) {
        trials.push_back(joint_trial(plan, angles, s, 1, sample, Largest::kNoiseFree));
        trials.push_back(noisy_alone(plan, angles, s, 1, sample, Largest::kNoiseFree));
      }
      for (const double gamma : plan.gammas) {
        for (int sample = 1; sample <= plan.samples_of(gamma); ++sample) {
          trials.push_back(joint_trial(plan, angles, s, gamma, sample));
          trials.push_back(noisy_alone(plan, angles, s, gamma, sample));
        }
      }
    }
  }
  return trials;
}

Grid grid_of(const Plan& plan, const Results& results) {
  Grid grid{plan.grid_angles, plan.noise, plan.gammas, {}, {}, {}, {}};
  for (const int angles : plan.grid_angles) {
    const TrialResult joint = results.get(joint_trial(plan, angles, 0, 1, 1));
    for (const AloneStop stop : {AloneStop::kStep, AloneStop::kRounds}) {
      auto& cells = stop == AloneStop::kStep ? grid.by_step : grid.by_rounds;
      cells.push_back(
          make_cell(angles, 0, 1, {joint}, {results.get(clean_alone(plan, angles, stop))}));
    }
    for (const double s : plan.noise) {
      if (s == 0) continue;
      grid.at_noise.push_back(noisy_cell(plan, results, angles, s, 1, Largest::kNoiseFree));
      for (const double gamma : plan.gammas) {
        grid.noisy.push_back(noisy_cell(plan, results, angles, s, gamma));
      }
    }
  }
  return grid;
}

}  // namespace firm::paper
