// Table 1: tau^s = max { ||mu*||, sqrt(f*), ||A^T D b^s|| }, above which FIRM converges like 1/eps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firm/projector.h"
#include "paper/csv.h"
#include "paper/item.h"
#include "report/charts/chart.h"
#include "solve/method_names.h"

namespace firm::paper {
namespace {

constexpr double kPaper[] = {9.44e-5, 1.18e-2, 5.55e-2, 1.11e-1};  // for s as in the plan
constexpr double kNear = 0.3;    // tolerated relative difference of tau from the paper's
constexpr double kLinear = 0.1;  // tolerated relative difference of tau / s between noise levels

struct Row {
  double s = 0;
  double paper = 0;
  double multiplier = 0;
  double root_f = 0;
  double data = 0;  // ||A^T D b||
  double tau = 0;
};

Trial trial_of(const Plan& plan, double s) {
  Trial trial = plan.firm(s);
  trial.method = method::kFirmPlus;
  return trial;
}

// ||A^T D b||, D b = b_N - sum c_i b_i.
double coupled_data_norm(const SimulatedStudy& made) {
  const std::size_t last = made.data.size() - 1;
  Block b = made.data[last].values;
  for (std::size_t i = 0; i < last; ++i) {
    const auto c = static_cast<float>(made.study.sites[i].coefficient);
    for (std::size_t ray = 0; ray < b.rows(); ++ray) b(ray, 0) -= c * made.data[i].values(ray, 0);
  }
  Block x(made.study.pixels(), 1);
  make_projector(made.study.xrt().geometry, {})->adjoint(b, x);
  double sum = 0;
  for (const float value : x.values()) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

std::vector<Row> rows_of(const Plan& plan, const Results& results) {
  std::vector<Row> rows;
  for (std::size_t k = 0; k < plan.noise.size(); ++k) {
    const Trial trial = trial_of(plan, plan.noise[k]);
    const TrialResult r = results.get(trial);
    Row row{plan.noise[k],
            kPaper[k],
            r.multiplier,
            std::sqrt(r.objective),
            coupled_data_norm(study_of(trial)),
            0};
    row.tau = std::max({row.multiplier, row.root_f, row.data});
    rows.push_back(row);
  }
  return rows;
}

Finding near_paper(const std::vector<Row>& rows) {
  double worst = 0;
  for (const Row& row : rows) {
    if (row.s > 0) worst = std::max(worst, std::abs(row.tau / row.paper - 1));
  }
  Finding finding{"\u03c4 is 1.18e-2, 5.55e-2, 1.11e-1 for s = 0.01, 0.05, 0.1.",
                  fmt::format("{:.2e}, {:.2e}, {:.2e}: at most {:.0f} % away.", rows[1].tau,
                              rows[2].tau, rows[3].tau, 100 * worst),
                  holds_if(worst <= kNear), ""};
  if (worst > kNear) {
    finding.why =
        "Neither the paper's noise sample nor the iteration at which FIRM+ stopped is published.";
  }
  return finding;
}

Finding linear(const std::vector<Row>& rows) {
  const double slope = rows[1].tau / rows[1].s;
  double worst = 0;
  for (std::size_t k = 2; k < rows.size(); ++k) {
    worst = std::max(worst, std::abs(rows[k].tau / rows[k].s / slope - 1));
  }
  return {"\u03c4 grows in proportion to the noise level.",
          fmt::format("\u03c4 / s differs by at most {:.1f} % between noise levels.", 100 * worst),
          holds_if(worst <= kLinear), ""};
}

Finding without_noise(const Plan& plan, const Row& row, const Row& noisy) {
  const double factor = row.tau / row.paper;
  Finding f{"Without noise \u03c4 is small: 9.44e-5.",
            fmt::format("{:.2e} after {} rounds of FIRM+, {:.0f} times smaller than at s = {}.",
                        row.tau, plan.firm_rounds(), noisy.tau / row.tau, number_text(noisy.s)),
            Verdict::kPartly,
            "Without noise f* is 0, so the value only shows how long FIRM+ ran. It is small, as "
            "claimed, but the number itself cannot be compared."};
  if (factor > 1 - kNear && factor < 1 + kNear) f.verdict = Verdict::kHolds;
  if (row.tau > 0.1 * noisy.tau) f.verdict = Verdict::kDiffers;
  return f;
}

void draw(const std::vector<Row>& rows, const std::string& path) {
  Series ours{"FIRM+, here", {}, {}, {}, {}, 0, true};
  Series paper{"the paper", {}, {}, {}, {}, 1, true};
  for (const Row& row : rows) {
    if (row.s == 0) continue;
    ours.x.push_back(row.s);
    ours.y.push_back(row.tau);
    paper.x.push_back(row.s);
    paper.y.push_back(row.paper);
  }
  const Chart chart{"", {"noise level s", true}, {"\u03c4", true}, {ours, paper}, {}};
  write_figure(path, {"Table 1: \u03c4 for s > 0", 1, {chart}});
}

class Table1 : public Item {
 public:
  std::string name() const override { return "table1"; }

  std::vector<Task> tasks(const Plan& plan) const override {
    std::vector<Trial> trials;
    for (const double s : plan.noise) trials.push_back(trial_of(plan, s));
    return make_tasks(trials);
  }

  Section report(const Plan& plan, const Results& results, const std::string& out) const override {
    const std::vector<Row> rows = rows_of(plan, results);
    Csv csv({"s", "tau", "paper_tau", "multiplier_norm", "sqrt_f", "data_norm"});
    Table table{
        "The three terms of \u03c4",
        {"s", "\u03c4", "paper", "ratio", "\u2016\u03bc\u2016", "\u221af", "\u2016A\u1d40Db\u2016"},
        {}};
    for (const Row& r : rows) {
      csv.row({cell(r.s), cell(r.tau), cell(r.paper), cell(r.multiplier), cell(r.root_f),
               cell(r.data)});
      table.rows.push_back({number_text(r.s), fmt::format("{:.3g}", r.tau),
                            fmt::format("{:.3g}", r.paper), fmt::format("{:.2f}", r.tau / r.paper),
                            fmt::format("{:.2e}", r.multiplier), fmt::format("{:.2e}", r.root_f),
                            fmt::format("{:.2e}", r.data)});
    }
    csv.write(out + "/data/table1.csv");
    draw(rows, out + "/figures/table1.svg");
    Section section{name(), "Table 1: the constant \u03c4 of the convergence rate",
                    fmt::format("FIRM+ on {} angles, {} rounds at r = 1 and then r = 0.9.",
                                plan.angles, plan.hold)};
    section.findings = {without_noise(plan, rows[0], rows[1]), near_paper(rows), linear(rows)};
    section.tables = {table};
    section.pictures = {{"figures/table1.svg", "\u03c4 against the noise level."}};
    section.files = {"data/table1.csv"};
    return section;
  }
};

}  // namespace

std::unique_ptr<Item> make_table1() { return std::make_unique<Table1>(); }

}  // namespace firm::paper
