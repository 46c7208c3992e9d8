// Beyond the paper: rounds, traffic and time that each method needs for the same result.
#include <fmt/format.h>

#include <algorithm>

#include "paper/csv.h"
#include "paper/item.h"
#include "report/charts/chart.h"
#include "solve/method_names.h"

namespace firm::paper {
namespace {

struct Contender {
  const char* title;
  const char* method;
  const char* setting;  // "key=value", or empty
};

constexpr Contender kContenders[] = {{"firm", method::kFirm, ""},
                                     {"firm+", method::kFirmPlus, ""},
                                     {"fedpgd", method::kFedPgd, ""},
                                     {"fedpgd, accelerated", method::kFedPgd, "fedpgd.accelerated"},
                                     {"firm-ds", method::kFirmDs, ""}};

// Without noise, runs until f is as small as FIRM's final value; with noise, until the data is
// fitted.
Trial trial_of(const Plan& plan, const Contender& c, double s) {
  Trial trial = plan.trial(c.method, s);
  const std::string method = c.method;
  if (method == method::kFirm || method == method::kFirmPlus) {
    trial.settings = {{"firm.hold", fmt::format("{}", plan.hold)}};
  }
  if (*c.setting != '\0') trial.settings.emplace_back(c.setting, "true");
  trial.timed = true;
  if (s > 0) return until_discrepancy(trial, method == method::kFirmDs ? 3 : 1);
  trial.settings.emplace_back("stop.objective", number_text(plan.target));
  trial.settings.emplace_back("stop.rounds", fmt::format("{}", 2 * plan.firm_rounds()));
  trial.expected_rounds = *c.setting != '\0' ? 300 : plan.firm_rounds();
  if (method == method::kFirmDs)
    trial.expected_rounds = 600;  // of equal work: its rounds are longer
  return trial;
}

struct Entry {
  const Contender* contender;
  double s;
  TrialResult result;
};

std::vector<Entry> entries_of(const Plan& plan, const Results& results) {
  std::vector<Entry> entries;
  for (const double s : plan.noise) {
    for (const Contender& c : kContenders) {
      entries.push_back({&c, s, results.get(trial_of(plan, c, s))});
    }
  }
  return entries;
}

const TrialResult& find(const std::vector<Entry>& entries, const std::string& title, double s) {
  return std::find_if(entries.begin(), entries.end(),
                      [&](const Entry& e) { return e.contender->title == title && e.s == s; })
      ->result;
}

Finding fewer_rounds(const std::vector<Entry>& entries) {
  const TrialResult& firm = find(entries, "firm", 0);
  const TrialResult& ds = find(entries, "firm-ds", 0);
  return {"FIRM, without noise.",
          fmt::format("FIRM needs {} rounds for f = {:.2e}; firm-ds {} rounds for {:.2e}: {:.0f} "
                      "times fewer rounds, {:.0f} times fewer floats sent, {:.0f} times faster.",
                      firm.rounds, firm.objective, ds.rounds, ds.objective,
                      static_cast<double>(firm.rounds) / ds.rounds,
                      firm.floats_sent / ds.floats_sent, firm.seconds / ds.seconds),
          Verdict::kShown, ""};
}

Finding as_near(const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& e : entries) {
    if (e.s == 0 || std::string(e.contender->title) != "firm-ds") continue;
    const TrialResult& firm = find(entries, "firm", e.s);
    text += fmt::format("{}s = {:g}: rounds {} against {}, distance {:.2f} against {:.2f}",
                        text.empty() ? "" : "; ", e.s, e.result.rounds, firm.rounds, e.result.error,
                        firm.error);
  }
  return {"FIRM, with noise and the discrepancy rule.",
          fmt::format("firm-ds against FIRM. {}.", text), Verdict::kShown, ""};
}

void draw(const Plan& plan, const std::vector<Entry>& entries, const std::string& path) {
  Figure figure{"What each method needs", 3, {}};
  const auto add = [&](const char* label, bool log, const auto& value_of) {
    Chart chart{"", {"noise level s"}, {label, log}, {}, {}};
    int style = 0;
    for (const Contender& c : kContenders) {
      Series series{c.title, {}, {}, {}, {}, style++, true};
      for (const double s : plan.noise) {
        series.x.push_back(s);
        series.y.push_back(value_of(find(entries, c.title, s)));
      }
      chart.series.push_back(series);
    }
    figure.charts.push_back(chart);
  };
  add("rounds", true, [](const TrialResult& r) { return static_cast<double>(r.rounds); });
  add("seconds", true, [](const TrialResult& r) { return r.seconds; });
  add("distance to the truth", false, [](const TrialResult& r) { return r.error; });
  write_figure(path, figure);
}

class Beyond : public Item {
 public:
  std::string name() const override { return "beyond"; }

  std::vector<Task> tasks(const Plan& plan) const override {
    std::vector<Trial> trials;
    for (const double s : plan.noise) {
      for (const Contender& c : kContenders) trials.push_back(trial_of(plan, c, s));
    }
    return make_tasks(trials);
  }

  Section report(const Plan& plan, const Results& results, const std::string& out) const override {
    const std::vector<Entry> entries = entries_of(plan, results);
    Csv csv({"s", "method", "rounds", "floats_sent_per_site", "seconds", "objective", "error",
             "constraint_violation", "stopped_by"});
    Table table{"Rounds, floats sent by a site, seconds and distance to the truth",
                {"method", "s", "rounds", "floats sent", "seconds", "f", "distance",
                 "\u2016Dw\u2016", "stopped by"},
                {}};
    for (const Entry& e : entries) {
      const TrialResult& r = e.result;
      csv.row({cell(e.s), fmt::format("\"{}\"", e.contender->title), cell(r.rounds),
               cell(r.floats_sent), cell(r.seconds), cell(r.objective), cell(r.error),
               cell(r.primal), r.reason});
      table.rows.push_back({e.contender->title, number_text(e.s), fmt::format("{}", r.rounds),
                            fmt::format("{:.3g}", r.floats_sent), fmt::format("{:.2f}", r.seconds),
                            fmt::format("{:.3g}", r.objective), fmt::format("{:.2f}", r.error),
                            fmt::format("{:.1e}", r.primal), r.reason});
    }
    csv.write(out + "/data/beyond.csv");
    draw(plan, entries, out + "/figures/beyond.svg");
    Section section{
        name(), "Beyond the paper: fewer rounds",
        fmt::format("{} angles. Without noise until f \u2264 {:g}, or the method's own end; with "
                    "noise until the discrepancy rule holds at every site.",
                    plan.angles, plan.target)};
    section.findings = {fewer_rounds(entries), as_near(entries)};
    section.tables = {table};
    section.pictures = {{"figures/beyond.svg", "Rounds, seconds and distance to the truth."}};
    section.files = {"data/beyond.csv"};
    return section;
  }
};

}  // namespace

std::unique_ptr<Item> make_beyond() { return std::make_unique<Beyond>(); }

}  // namespace firm::paper
