// FIRM against FedPGD: objective, step norm, ||D w|| and time per round. FedPGD projects exactly,
// pixel by pixel; a few rounds with a general QP solver explain the paper's factor of 52.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "paper/csv.h"
#include "paper/item.h"
#include "paper/items/general_fedpgd.h"
#include "report/charts/chart.h"
#include "solve/method_names.h"

namespace firm::paper {
namespace {

constexpr double kLevels[] = {0, 0.01};  // s
constexpr int kPaperFirmRounds = 10130;
constexpr int kPaperFedPgdRounds = 8955;
constexpr double kPaperFactor = 52;
constexpr double kPaperFirmSeconds = 469;
constexpr double kPaperFedPgdSeconds = 24753;

struct Pair {
  double s = 0;
  TrialResult firm;
  TrialResult fedpgd;
};

Trial firm_trial(const Plan& plan, double s) {
  Trial trial = plan.firm(s);
  trial.curve = Curve::kRounds;
  trial.timed = true;
  return trial;
}

Trial fedpgd_trial(const Plan& plan, double s) {
  Trial trial = for_rounds(plan.trial(method::kFedPgd, s), plan.firm_rounds());
  trial.curve = Curve::kRounds;
  trial.timed = true;
  return trial;
}

double seconds_per_round(const TrialResult& r) { return r.seconds / r.rounds; }

std::string percent(double part) { return fmt::format("{:.2g} %", 100 * part); }

Finding firm_stops(const Plan& plan, const Pair& p) {
  const double expected = kPaperFirmRounds - 10000 + plan.hold;
  return {fmt::format("FIRM holds r = 1 for 10000 rounds and stops {} rounds later.",
                      kPaperFirmRounds - 10000),
          fmt::format("It stops at round {} ({} rounds at r = 1), f = {:.2e}.", p.firm.rounds,
                      plan.hold, p.firm.objective),
          holds_if(p.firm.reason == "eps" && std::abs(p.firm.rounds - expected) <= 0.01 * expected),
          ""};
}

// The largest relative difference of f between the two methods while FIRM's r is 1.
double largest_difference(const Plan& plan, const Pair& p) {
  double worst = 0;
  const std::size_t count = std::min(p.firm.curve.round.size(), p.fedpgd.curve.round.size());
  for (std::size_t k = 0; k < count && p.firm.curve.round[k] <= plan.hold; ++k) {
    worst = std::max(worst, std::abs(p.firm.curve.objective[k] / p.fedpgd.curve.objective[k] - 1));
  }
  return worst;
}

Finding equal_objective(const Plan& plan, const Pair& p) {
  const double worst = largest_difference(plan, p);
  return {fmt::format("Both have the same objective per round while r = 1 (s = {:g}).", p.s),
          fmt::format("They differ by at most {} in {} rounds.", percent(worst), plan.hold),
          worst < 0.01  ? Verdict::kHolds
          : worst < 0.1 ? Verdict::kPartly
                        : Verdict::kDiffers,
          ""};
}

Finding violation_falls(const Plan& plan, const Pair& p) {
  const Rounds& c = p.firm.curve;
  double before = 0;
  for (std::size_t k = 0; k < c.round.size() && c.round[k] <= plan.hold; ++k) {
    before = c.violation[k];
  }
  return {"The constraint violation \u2016Dw\u2016 of FIRM falls once r = 0.9.",
          fmt::format("From {:.1e} at round {} to {:.1e} at the end.", before, plan.hold,
                      c.violation.back()),
          holds_if(c.violation.back() < 0.1 * before), ""};
}

Finding fedpgd_stops(const Pair& p, const GeneralFedPgd* general) {
  const int stop = p.fedpgd.first_small_step;
  const std::string at =
      stop > 0 ? fmt::format(
                     "With the exact projection the step norm is \u2264 0.01 from round {} "
                     "on; after {} rounds",
                     stop, p.fedpgd.rounds)
               : fmt::format(
                     "With the exact projection the step norm is above 0.01 for all {} "
                     "rounds run; at the end",
                     p.fedpgd.rounds);
  Finding f;
  f.found = fmt::format("{} it is {:.1e}.", at, p.fedpgd.curve.step_norm.back());
  f.why = "The exact projection has no error that keeps the iterates moving.";
  if (general != nullptr) {
    f.why += fmt::format(
        " That of {} is {:.2g} away from it (norm over all images): {} the 0.01 "
        "that would end the run.",
        general->solver, general->deviation,
        general->deviation > kStepTolerance ? "more than" : "less than");
  }
  if (p.s == 0) {
    f.claim = fmt::format("FedPGD stops (step norm \u2264 0.01) at round {}.", kPaperFedPgdRounds);
    f.verdict = holds_if(std::abs(stop - kPaperFedPgdRounds) < 0.05 * kPaperFedPgdRounds);
  } else {
    f.claim = fmt::format("At s = {:g} FedPGD does not stop within days; FIRM stops.", p.s);
    f.verdict = stop > 0 ? Verdict::kDiffers : Verdict::kPartly;
  }
  return f;
}

Finding exact_time(const Pair& p) {
  const double ratio = seconds_per_round(p.fedpgd) / seconds_per_round(p.firm);
  return {"A round of FedPGD is far more expensive than one of FIRM.",
          fmt::format("With the exact projection, O(N log N) per pixel, a round takes {:.2f} ms, "
                      "FIRM's {:.2f} ms: {:.1f} times.",
                      1e3 * seconds_per_round(p.fedpgd), 1e3 * seconds_per_round(p.firm), ratio),
          ratio > 10 ? Verdict::kHolds : Verdict::kDiffers,
          "The projection onto W is separable by pixel; the cost in the paper is that of a general "
          "solver that does not see this."};
}

Finding general_time(const Pair& p, const GeneralFedPgd* g) {
  Finding f;
  f.claim = fmt::format(
      "FedPGD takes {:.0f} s ({:.2f} s per round, Gurobi) and FIRM {:.0f} s: 52 times faster.",
      kPaperFedPgdSeconds, kPaperFedPgdSeconds / kPaperFedPgdRounds, kPaperFirmSeconds);
  if (g == nullptr) {
    f.found = "Not run: this program was built without Ipopt (Debian's coinor-libipopt-dev).";
    return f;
  }
  const double per_round = g->seconds_per_round / seconds_per_round(p.firm);
  f.found = fmt::format(
      "With {} in place of Gurobi a round takes {:.1f} s, {:.0f} times FIRM's. Extrapolated from "
      "{} round{} to {}: {:.1f} hours; FIRM's {} rounds took {:.1f} s.",
      g->solver, g->seconds_per_round, per_round, g->rounds, g->rounds == 1 ? "" : "s",
      kPaperFedPgdRounds, g->seconds_per_round * kPaperFedPgdRounds / 3600, p.firm.rounds,
      p.firm.seconds);
  f.verdict = holds_if(per_round > 0.95 * kPaperFactor);
  f.why = fmt::format(
      "The factor is {} than the paper's. It is the price of the general solver, not of FedPGD.",
      per_round > kPaperFactor ? "larger" : "smaller");
  return f;
}

void write_data(const std::vector<Pair>& pairs, const std::string& path) {
  Csv csv({"s", "method", "round", "seconds", "objective", "step_norm", "violation"});
  for (const Pair& p : pairs) {
    for (const bool is_firm : {true, false}) {
      const Rounds& c = is_firm ? p.firm.curve : p.fedpgd.curve;
      for (std::size_t k = 0; k < c.round.size(); ++k) {
        csv.row({cell(p.s), is_firm ? "firm" : "fedpgd", cell(c.round[k]), cell(c.seconds[k]),
                 cell(c.objective[k]), cell(c.step_norm[k]), cell(c.violation[k])});
      }
    }
  }
  csv.write(path);
}

// Extrapolated seconds of the general solver, a straight line.
Series general_seconds(const GeneralFedPgd& g, const Rounds& like) {
  Series line{"FedPGD, " + g.solver + ", extrapolated", {}, {}, {}, {}, 2};
  line.x = like.round;
  for (const double round : like.round) line.y.push_back(round * g.seconds_per_round);
  return line;
}

void draw(const std::vector<Pair>& pairs, const GeneralFedPgd* general, const std::string& path) {
  struct Quantity {
    const char* label;
    std::vector<double> Rounds::*values;
  };
  const Quantity quantities[] = {{"f(w^{t})", &Rounds::objective},
                                 {"\u2016w^{t} \u2212 w^{t\u22121}\u2016", &Rounds::step_norm},
                                 {"\u2016Dw^{t}\u2016", &Rounds::violation},
                                 {"seconds", &Rounds::seconds}};
  Figure figure{"FIRM and FedPGD", 4, {}};
  figure.chart_width = 300;
  for (const Pair& p : pairs) {
    for (const Quantity& q : quantities) {
      Chart chart{fmt::format("s = {:g}", p.s), {"round t", true}, {q.label, true}, {}, {}};
      chart.series.push_back({"FIRM", p.firm.curve.round, p.firm.curve.*q.values, {}, {}, 0});
      chart.series.push_back(
          {"FedPGD, exact projection", p.fedpgd.curve.round, p.fedpgd.curve.*q.values, {}, {}, 1});
      if (general != nullptr && q.values == &Rounds::seconds) {
        chart.series.push_back(general_seconds(*general, p.fedpgd.curve));
      }
      if (q.values == &Rounds::step_norm) chart.reference_lines = {{kStepTolerance, "\u03b5"}};
      figure.charts.push_back(chart);
    }
  }
  write_figure(path, figure);
}

class FedPgdItem : public Item {
 public:
  std::string name() const override { return "fedpgd"; }

  std::vector<Task> tasks(const Plan& plan) const override {
    std::vector<Trial> trials;
    for (const double s : kLevels) {
      trials.push_back(firm_trial(plan, s));
      trials.push_back(fedpgd_trial(plan, s));
    }
    std::vector<Task> tasks = make_tasks(trials);
    if (has_general_fedpgd()) tasks.push_back(general_fedpgd_task(plan));
    return tasks;
  }

  Section report(const Plan& plan, const Results& results, const std::string& out) const override {
    std::vector<Pair> pairs;
    for (const double s : kLevels) {
      pairs.push_back({s, results.get(firm_trial(plan, s)), results.get(fedpgd_trial(plan, s))});
    }
    Section section{name(), "FIRM against FedPGD",
                    fmt::format("{} angles; FIRM with r = 1 for {} rounds, then 0.9; FedPGD for "
                                "the same number of rounds.",
                                plan.angles, plan.hold)};
    std::optional<GeneralFedPgd> general;
    if (has_general_fedpgd()) general = general_fedpgd(plan, results);
    const GeneralFedPgd* g = general ? &*general : nullptr;
    section.findings = {firm_stops(plan, pairs[0]),
                        equal_objective(plan, pairs[0]),
                        equal_objective(plan, pairs[1]),
                        violation_falls(plan, pairs[0]),
                        fedpgd_stops(pairs[0], g),
                        fedpgd_stops(pairs[1], g),
                        exact_time(pairs[0]),
                        general_time(pairs[0], g)};
    draw(pairs, g, out + "/figures/fedpgd.svg");
    write_data(pairs, out + "/data/fedpgd.csv");
    section.pictures = {{"figures/fedpgd.svg",
                         "Objective, step norm, constraint violation and elapsed time per round."}};
    section.files = {"data/fedpgd.csv"};
    return section;
  }
};

}  // namespace

std::unique_ptr<Item> make_fedpgd() { return std::make_unique<FedPgdItem>(); }

}  // namespace firm::paper
