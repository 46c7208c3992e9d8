// Each site alone: PGD against LSQR with clipped values (the paper's appendix).
#include <fmt/format.h>

#include <algorithm>

#include "paper/csv.h"
#include "paper/item.h"
#include "report/charts/chart.h"
#include "solve/method_names.h"

namespace firm::paper {
namespace {

const std::vector<std::string> kSites = {"XRF-1", "XRF-2", "XRF-3", "XRT"};

Trial pgd_trial(const Plan& plan, int angles, double s) {
  Trial trial = plan.trial(method::kPgd, s);
  trial.angles = angles;
  if (s > 0) return until_discrepancy(trial);
  trial.settings = {{"stop.step", number_text(kStepTolerance)}};
  trial.expected_rounds = 600;
  return trial;
}

// LSQR with MATLAB's default of at most 20 iterations, or with the discrepancy rule for noisy data.
Trial plsqr_trial(const Plan& plan, int angles, double s, bool discrepancy) {
  Trial trial = plan.trial(method::kPlsqr, s);
  trial.angles = angles;
  if (s > 0 && discrepancy) return until_discrepancy(trial, 20);
  trial.settings = {{"stop.rounds", "20"}};
  trial.expected_rounds = 20;
  return trial;
}

struct Point {
  int angles = 0;
  double s = 0;
  std::vector<double> pgd;  // distance to the truth, per site
  std::vector<double> plsqr;
  std::vector<double> stopped;  // plsqr with the discrepancy rule; at s = 0 the same as plsqr

  // The paper's measure of improvement, in percent.
  double improvement(std::size_t site) const { return over(plsqr, site); }
  double improvement_over_stopped(std::size_t site) const { return over(stopped, site); }

 private:
  double over(const std::vector<double>& other, std::size_t site) const {
    return 100 * (other[site] - pgd[site]) / other[site];
  }
};

std::vector<Point> points_of(const Plan& plan, const Results& results) {
  std::vector<Point> points;
  for (const double s : plan.noise) {
    for (const int angles : plan.plsqr_angles) {
      points.push_back({angles, s, results.get(pgd_trial(plan, angles, s)).site_errors,
                        results.get(plsqr_trial(plan, angles, s, false)).site_errors,
                        results.get(plsqr_trial(plan, angles, s, true)).site_errors});
    }
  }
  return points;
}

// Counts how often PGD is nearer to the truth, and by how much.
struct Score {
  std::size_t cases = 0;
  std::size_t better = 0;
  double least = 1e300;
  double most = -1e300;

  void add(double improvement) {
    ++cases;
    if (improvement > 0) ++better;
    least = std::min(least, improvement);
    most = std::max(most, improvement);
  }
  std::string text() const {
    return fmt::format("In {} of {} cases; improvement {:.0f} % to {:.0f} %.", better, cases, least,
                       most);
  }
};

Finding nearer(const std::vector<Point>& points) {
  Score score;
  for (const Point& p : points) {
    for (std::size_t i = 0; i < kSites.size(); ++i) score.add(p.improvement(i));
  }
  return {"PGD is nearer to the truth than projected LSQR, for every modality.", score.text(),
          score.better == score.cases       ? Verdict::kHolds
          : 2 * score.better >= score.cases ? Verdict::kPartly
                                            : Verdict::kDiffers,
          ""};
}

Finding nearer_when_stopped(const std::vector<Point>& points) {
  Score score;
  for (const Point& p : points) {
    for (std::size_t i = 0; i < kSites.size() && p.s > 0; ++i) {
      score.add(p.improvement_over_stopped(i));
    }
  }
  return {"The same if LSQR also stops by the discrepancy rule (not in the paper; s > 0).",
          score.text(), Verdict::kShown,
          score.better == score.cases
              ? ""
              : "Part of the difference is that LSQR fits the noise if no rule stops it."};
}

void write_data(const std::vector<Point>& points, const std::string& path) {
  Csv csv({"angles", "s", "site", "pgd_error", "plsqr_error", "improvement_percent",
           "plsqr_stopped_error", "improvement_over_stopped_percent"});
  for (const Point& p : points) {
    for (std::size_t i = 0; i < kSites.size(); ++i) {
      csv.row({cell(p.angles), cell(p.s), kSites[i], cell(p.pgd[i]), cell(p.plsqr[i]),
               cell(p.improvement(i)), cell(p.stopped[i]), cell(p.improvement_over_stopped(i))});
    }
  }
  csv.write(path);
}

void draw(const Plan& plan, const std::vector<Point>& points, const std::string& path) {
  Figure figure{"Improvement of PGD over projected LSQR", 4, {}};
  figure.chart_width = 300;
  for (std::size_t i = 0; i < kSites.size(); ++i) {
    Chart chart{kSites[i], {"angles"}, {"improvement in %"}, {}, {}};
    for (std::size_t k = 0; k < plan.noise.size(); ++k) {
      Series series{
          fmt::format("s = {:g}", plan.noise[k]), {}, {}, {}, {}, static_cast<int>(k), true};
      for (const Point& p : points) {
        if (p.s != plan.noise[k]) continue;
        series.x.push_back(p.angles);
        series.y.push_back(p.improvement(i));
      }
      chart.series.push_back(series);
    }
    chart.reference_lines = {{0, ""}};
    figure.charts.push_back(chart);
  }
  write_figure(path, figure);
}

class PlsqrItem : public Item {
 public:
  std::string name() const override { return "plsqr"; }

  std::vector<Task> tasks(const Plan& plan) const override {
    std::vector<Trial> trials;
    for (const double s : plan.noise) {
      for (const int angles : plan.plsqr_angles) {
        trials.push_back(pgd_trial(plan, angles, s));
        for (const bool stop : {false, true}) {
          trials.push_back(plsqr_trial(plan, angles, s, stop));
        }
      }
    }
    return make_tasks(trials);
  }

  Section report(const Plan& plan, const Results& results, const std::string& out) const override {
    const std::vector<Point> points = points_of(plan, results);
    write_data(points, out + "/data/plsqr.csv");
    draw(plan, points, out + "/figures/plsqr.svg");
    Section section{name(), "Appendix: PGD against projected LSQR",
                    "Each site alone. PGD stops by the discrepancy rule, or without noise at a "
                    "step norm of 0.01. LSQR stops at a tolerance of 1e-6 or after 20 iterations, "
                    "the defaults of MATLAB."};
    section.findings = {nearer(points), nearer_when_stopped(points)};
    section.pictures = {{"figures/plsqr.svg",
                         "100 (PLSQR - PGD) / PLSQR of the distances to the truth, per modality."}};
    section.files = {"data/plsqr.csv"};
    return section;
  }
};

}  // namespace

std::unique_ptr<Item> make_plsqr() { return std::make_unique<PlsqrItem>(); }

}  // namespace firm::paper
