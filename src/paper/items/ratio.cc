// The effect of r: objective and distance to the truth per round when the step shrinks from the
// start.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "paper/csv.h"
#include "paper/item.h"
#include "report/charts/chart.h"
#include "solve/method_names.h"

namespace firm::paper {
namespace {

constexpr double kLevels[] = {0, 0.01, 0.1};  // s
constexpr double kEtaOverEps = 1.24e6;        // eta_1 / eps of the paper's study

Trial trial_of(const Plan& plan, double s, double r) {
  Trial trial = plan.trial(method::kFirm, s);
  trial.settings = {{"firm.hold", "0"}, {"firm.ratio", number_text(r)}};
  trial.curve = Curve::kRoundsAndErrors;
  trial.expected_rounds = static_cast<int>(std::log(kEtaOverEps) / -std::log(r)) + 1;
  return trial;
}

std::string joined(const std::vector<double>& values, const char* format) {
  std::string text;
  for (const double v : values) {
    text += (text.empty() ? "" : ", ") + fmt::format(fmt::runtime(format), v);
  }
  return text;
}

// Runs with all ratios at one noise level.
struct RatioRuns {
  double s = 0;
  std::vector<double> ratios;
  std::vector<TrialResult> runs;  // one per ratio

  std::vector<double> objectives() const {
    std::vector<double> f;
    for (const TrialResult& r : runs) f.push_back(r.objective);
    return f;
  }
  std::vector<double> errors() const {
    std::vector<double> e;
    for (const TrialResult& r : runs) e.push_back(r.error);
    return e;
  }
};

std::vector<RatioRuns> runs_of(const Plan& plan, const Results& results) {
  std::vector<RatioRuns> all;
  for (const double s : kLevels) {
    RatioRuns at_level{s, plan.ratios, {}};
    for (const double r : plan.ratios) at_level.runs.push_back(results.get(trial_of(plan, s, r)));
    all.push_back(at_level);
  }
  return all;
}

Finding stagnation(const RatioRuns& c) {
  const std::vector<double> f = c.objectives();
  const bool ordered = std::is_sorted(f.rbegin(), f.rend());
  const double factor = f.front() / f.back();
  return {"Without noise, a smaller r stagnates at a larger objective.",
          fmt::format("Final f for r = {}: {}; the first is {:.0f} times the last.",
                      joined(c.ratios, "{:g}"), joined(f, "{:.2e}"), factor),
          holds_if(ordered && factor > 2), ""};
}

Finding terminates(const std::vector<RatioRuns>& all) {
  bool every = true;
  std::string rounds;
  for (const RatioRuns& c : all) {
    for (const TrialResult& r : c.runs) every = every && r.reason == "eps";
  }
  for (const TrialResult& r : all[0].runs) {
    rounds += fmt::format("{}{}", rounds.empty() ? "" : ", ", r.rounds);
  }
  return {"Whatever r, FIRM ends with an \u03b5-optimal solution.",
          fmt::format("{} met \u03b7 < \u03b5 = 0.01; at s = 0 after {} rounds.",
                      every ? "All runs" : "Not all runs", rounds),
          holds_if(every), ""};
}

// Finds the smallest and the final distance in the run with the largest r.
Finding noise_fit(const RatioRuns& c) {
  const TrialResult& run = c.runs.back();
  const auto& e = run.curve.error;
  const auto best = std::min_element(e.begin(), e.end()) - e.begin();
  const double nearest = e[static_cast<std::size_t>(best)];
  const std::vector<double> errors = c.errors();
  const bool ordered = std::is_sorted(errors.begin(), errors.end());
  return {fmt::format("At s = {}, solutions with a lower objective are farther from the truth.",
                      number_text(c.s)),
          fmt::format("Final f for r = {}: {}, distance {}. With r = {} the distance is least, "
                      "{:.1f}, in round {:.0f} and grows to {:.1f} while f keeps falling.",
                      joined(c.ratios, "{:g}"), joined(c.objectives(), "{:.2e}"),
                      joined(errors, "{:.1f}"), number_text(c.ratios.back()), nearest,
                      run.curve.round[static_cast<std::size_t>(best)], e.back()),
          ordered && e.back() > 1.05 * nearest ? Verdict::kHolds
          : e.back() > 1.05 * nearest          ? Verdict::kPartly
                                               : Verdict::kDiffers,
          ""};
}

void write_data(const std::vector<RatioRuns>& all, const std::string& path) {
  Csv csv({"s", "r", "round", "objective", "error"});
  for (const RatioRuns& c : all) {
    for (std::size_t k = 0; k < c.runs.size(); ++k) {
      const Rounds& curve = c.runs[k].curve;
      for (std::size_t i = 0; i < curve.round.size(); ++i) {
        csv.row({cell(c.s), cell(c.ratios[k]), cell(curve.round[i]), cell(curve.objective[i]),
                 cell(curve.error[i])});
      }
    }
  }
  csv.write(path);
}

void draw(const std::vector<RatioRuns>& all, const std::string& path) {
  Figure figure{"The effect of r", all.size(), {}};
  for (const bool objective : {true, false}) {
    for (const RatioRuns& c : all) {
      Chart chart{fmt::format("s = {:g}", c.s),
                  {"round t", true},
                  {objective ? "f(w^{t})" : "distance to the truth", true},
                  {},
                  {}};
      for (std::size_t k = 0; k < c.runs.size(); ++k) {
        const Rounds& curve = c.runs[k].curve;
        chart.series.push_back({fmt::format("r = {:g}", c.ratios[k]),
                                curve.round,
                                objective ? curve.objective : curve.error,
                                {},
                                {},
                                static_cast<int>(k)});
      }
      figure.charts.push_back(chart);
    }
  }
  write_figure(path, figure);
}

class Ratio : public Item {
 public:
  std::string name() const override { return "ratio"; }

  std::vector<Task> tasks(const Plan& plan) const override {
    std::vector<Trial> trials;
    for (const double s : kLevels) {
      for (const double r : plan.ratios) trials.push_back(trial_of(plan, s, r));
    }
    return make_tasks(trials);
  }

  Section report(const Plan& plan, const Results& results, const std::string& out) const override {
    const std::vector<RatioRuns> all = runs_of(plan, results);
    write_data(all, out + "/data/ratio.csv");
    draw(all, out + "/figures/ratio.svg");
    Section section{name(), "Effect of the ratio r",
                    fmt::format("FIRM on {} angles; \u03b7 is multiplied by r after every inner "
                                "loop from the first round on, until \u03b7 < 0.01.",
                                plan.angles)};
    section.findings = {stagnation(all[0]), terminates(all), noise_fit(all[2])};
    section.pictures = {
        {"figures/ratio.svg",
         "Objective and distance to the truth per round; both axes are logarithmic."}};
    section.files = {"data/ratio.csv"};
    return section;
  }
};

}  // namespace

std::unique_ptr<Item> make_ratio() { return std::make_unique<Ratio>(); }

}  // namespace firm::paper
