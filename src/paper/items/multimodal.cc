// Multimodality: the joint problem, solved by FIRM, against each site alone (IIR), solved by PGD.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "paper/csv.h"
#include "paper/item.h"
#include "paper/items/grid.h"
#include "report/charts/chart.h"

namespace firm::paper {
namespace {

std::string range_text(const std::vector<double>& values, const char* unit) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{:.1f} to {:.1f}{}", *low, *high, unit);
}

Finding nearer(const Grid& grid) {
  std::size_t better = 0;
  std::vector<double> gaps;
  for (const Cell& cell : grid.noisy) {
    gaps.push_back(cell.gap.mean);
    if (cell.gap.least > 0) ++better;
  }
  return {"With noise, the joint solution is nearer to the truth than IIR in every case.",
          fmt::format("In {} of {} cells for every sample; mean relative gap {}.", better,
                      grid.noisy.size(), range_text(gaps, " %")),
          holds_if(better == grid.noisy.size()), ""};
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

Finding without_noise(const Grid& grid) {
  std::vector<double> paper;
  std::vector<double> equal;
  for (const Cell& cell : grid.by_step) paper.push_back(cell.gap.mean);
  for (const Cell& cell : grid.by_rounds) equal.push_back(cell.gap.mean);
  const double noisy = mean_gap(grid.noisy, grid.noise.at(1), 1);
  return {"The benefit is particularly noticeable without noise.",
          fmt::format("Gap {} when PGD stops at a step norm of 0.01, as in the paper; {} after as "
                      "many rounds as FIRM. At s = {:g} it is {:.1f} % on average.",
                      range_text(paper, " %"), range_text(equal, " %"), grid.noise.at(1), noisy),
          mean_of(equal) > noisy   ? Verdict::kHolds
          : mean_of(paper) > noisy ? Verdict::kPartly
                                   : Verdict::kDiffers,
          "Most of the gap without noise comes from how long each method runs: PGD's rule stops "
          "long before FIRM's."};
}

// Gaps for gamma = 1 as text: "11.1 % at s = 0.01, ...".
std::string gaps_text(const Grid& grid, const std::vector<Cell>& cells) {
  std::string text;
  for (const double s : grid.noise) {
    if (s == 0) continue;
    text +=
        fmt::format("{}{:.1f} % at s = {:g}", text.empty() ? "" : ", ", mean_gap(cells, s, 1), s);
  }
  return text;
}

Finding shrinks(const Grid& grid) {
  std::vector<double> means;
  for (const double s : grid.noise) {
    if (s > 0) means.push_back(mean_gap(grid.noisy, s, 1));
  }
  const bool falls = std::is_sorted(means.rbegin(), means.rend());
  return {"The relative gap shrinks as the noise grows.",
          fmt::format("\u03b3 = 1, mean over the angle counts: {}.", gaps_text(grid, grid.noisy)),
          falls                          ? Verdict::kHolds
          : means.back() < means.front() ? Verdict::kPartly
                                         : Verdict::kDiffers,
          "The rule takes max(b) from noisy data, which grows with the noise and so stops both "
          "methods earlier. In the next line the rule stops at the level of the noise."};
}

Finding at_noise(const Grid& grid) {
  double nearer = 0;
  for (const Cell& c : grid.at_noise) {
    nearer = std::max(nearer, 1 - c.joint.mean / grid.cell(c.angles, c.s, 1).joint.mean);
  }
  return {"The same with max(b) of the data without noise (not in the paper).",
          fmt::format("Gaps {}. The joint images are up to {:.0f} % nearer to "
                      "the truth than with the paper's rule.",
                      gaps_text(grid, grid.at_noise), 100 * nearer),
          Verdict::kShown, ""};
}

// Relative change of the distance over all gammas, averaged over the angle counts.
double sensitivity(const Grid& grid, double s, bool joint) {
  double sum = 0;
  for (const int angles : grid.angles) {
    std::vector<double> means;
    for (const double gamma : grid.gammas) {
      const Cell& cell = grid.cell(angles, s, gamma);
      means.push_back(joint ? cell.joint.mean : cell.alone.mean);
    }
    const auto [low, high] = std::minmax_element(means.begin(), means.end());
    sum += (*high - *low) / *low;
  }
  return sum / static_cast<double>(grid.angles.size());
}

Finding depends_on_gamma(const Grid& grid) {
  double sums[2] = {};
  bool everywhere = true;
  std::string text;
  for (const double s : grid.noise) {
    if (s == 0) continue;
    const double joint = sensitivity(grid, s, true);
    const double alone = sensitivity(grid, s, false);
    sums[0] += joint;
    sums[1] += alone;
    everywhere = everywhere && joint < alone;
    text += fmt::format("{}{:.1f} and {:.1f} % at s = {:g}", text.empty() ? "" : ", ", 100 * joint,
                        100 * alone, s);
  }
  return {
      "FIRM depends less on the step scale \u03b3 than PGD.",
      fmt::format("From \u03b3 = {:g} to {:g} the distance changes by at most this much with FIRM "
                  "and PGD, mean over the angle counts: {}.",
                  grid.gammas.front(), grid.gammas.back(), text),
      everywhere          ? Verdict::kHolds
      : sums[0] < sums[1] ? Verdict::kPartly
                          : Verdict::kDiffers,
      everywhere
          ? ""
          : "Both depend little on it. With large steps and much noise a run takes six rounds, and "
            "the last one overshoots the target more in one method than in the other."};
}

Finding improves(const Grid& grid) {
  std::size_t steps = 0;
  std::size_t better = 0;
  const auto count = [&](const Cell& worse, const Cell& cell) {
    for (const bool joint : {true, false}) {
      ++steps;
      if (joint ? cell.joint.mean < worse.joint.mean : cell.alone.mean < worse.alone.mean) ++better;
    }
  };
  for (const double gamma : grid.gammas) {
    for (std::size_t a = 0; a < grid.angles.size(); ++a) {
      for (std::size_t k = 1; k < grid.noise.size(); ++k) {
        const Cell& cell = grid.cell(grid.angles[a], grid.noise[k], gamma);
        if (a > 0) count(grid.cell(grid.angles[a - 1], grid.noise[k], gamma), cell);
        if (k > 1) count(cell, grid.cell(grid.angles[a], grid.noise[k - 1], gamma));
      }
    }
  }
  return {"Images improve with more angles and with less noise.",
          fmt::format("In {} of {} steps from one cell to the next.", better, steps),
          better == steps           ? Verdict::kHolds
          : 10 * better > 9 * steps ? Verdict::kPartly
                                    : Verdict::kDiffers,
          ""};
}

Finding spread(const Grid& grid) {
  std::vector<double> parts;
  for (const Cell& cell : grid.noisy) {
    for (const Spread* of : {&cell.joint, &cell.alone}) {
      parts.push_back((of->high - of->low) / of->mean);
    }
  }
  const double worst = *std::max_element(parts.begin(), parts.end());
  return {"The variance between samples is small.",
          fmt::format("The 20th and 80th percentiles are {:.2f} % of the mean apart on average, at "
                      "most {:.1f} %.",
                      100 * mean_of(parts), 100 * worst),
          worst < 0.05            ? Verdict::kHolds
          : mean_of(parts) < 0.02 ? Verdict::kPartly
                                  : Verdict::kDiffers,
          worst < 0.05
              ? ""
              : "It is largest where a run takes so few rounds that a single one matters."};
}

void write_data(const Grid& grid, const std::string& path) {
  Csv csv({"angles", "s", "gamma", "pgd_stop", "samples", "joint_mean", "joint_p20", "joint_p80",
           "iir_mean", "iir_p20", "iir_p80", "gap_percent_mean", "gap_percent_p20",
           "gap_percent_p80", "firm_rounds", "pgd_rounds"});
  for (const auto* cells : {&grid.by_step, &grid.by_rounds, &grid.noisy, &grid.at_noise}) {
    const char* stop = cells == &grid.by_step     ? "step"
                       : cells == &grid.by_rounds ? "rounds"
                       : cells == &grid.noisy     ? "discrepancy"
                                                  : "discrepancy at the noise";
    for (const Cell& c : *cells) {
      csv.row({cell(c.angles), cell(c.s), cell(c.gamma), stop, cell(c.samples), cell(c.joint.mean),
               cell(c.joint.low), cell(c.joint.high), cell(c.alone.mean), cell(c.alone.low),
               cell(c.alone.high), cell(c.gap.mean), cell(c.gap.low), cell(c.gap.high),
               cell(c.joint_rounds), cell(c.alone_rounds)});
    }
  }
  csv.write(path);
}

Series series_of(const Grid& grid, double gamma, std::size_t level, Spread Cell::*quantity) {
  Series series{
      fmt::format("s = {:g}", grid.noise[level]), {}, {}, {}, {}, static_cast<int>(level), true};
  for (std::size_t a = 0; a < grid.angles.size(); ++a) {
    const Cell& cell =
        level == 0 ? grid.by_step[a] : grid.cell(grid.angles[a], grid.noise[level], gamma);
    const Spread& spread = cell.*quantity;
    series.x.push_back(grid.angles[a]);
    series.y.push_back(spread.mean);
    series.low.push_back(spread.low);
    series.high.push_back(spread.high);
  }
  return series;
}

void draw(const Grid& grid, const std::string& path) {
  Figure figure{"Joint reconstruction (FIRM) against each site alone (PGD)", 3, {}};
  for (const double gamma : grid.gammas) {
    const auto add = [&](const char* title, const char* label, Spread Cell::*quantity) {
      Chart chart{fmt::format("{}, \u03b3 = {:g}", title, gamma), {"angles"}, {label}, {}, {}};
      for (std::size_t k = 0; k < grid.noise.size(); ++k) {
        chart.series.push_back(series_of(grid, gamma, k, quantity));
      }
      figure.charts.push_back(chart);
    };
    add("joint", "distance to the truth", &Cell::joint);
    add("IIR", "distance to the truth", &Cell::alone);
    add("relative gap", "gap in %", &Cell::gap);
    // Both distances share one scale.
    Chart& joint = figure.charts[figure.charts.size() - 3];
    Chart& alone = figure.charts[figure.charts.size() - 2];
    joint.y.range = alone.y.range = ValueRange{0, 1.05 * grid.largest_distance()};
  }
  write_figure(path, figure);
}

class Multimodal : public Item {
 public:
  std::string name() const override { return "multimodal"; }

  std::vector<Task> tasks(const Plan& plan) const override { return make_tasks(grid_trials(plan)); }

  Section report(const Plan& plan, const Results& results, const std::string& out) const override {
    const Grid grid = grid_of(plan, results);
    std::string samples;
    for (const double gamma : plan.gammas) {
      samples += fmt::format("{}{} at \u03b3 = {:g}", samples.empty() ? "" : ", ",
                             plan.samples_of(gamma), gamma);
    }
    Section section{
        name(), "Effect of multimodality",
        fmt::format("{} angle counts, {} noise levels, steps \u03b3\u03b1 with \u03b1 = 3 / (4 "
                    "\u03bb_max). Noisy data: discrepancy rule, means and 20th and 80th "
                    "percentiles; samples: {}. Without noise: \u03b3 = 1, FIRM's own rule.",
                    plan.grid_angles.size(), plan.noise.size(), samples)};
    section.findings = {nearer(grid),   without_noise(grid),    shrinks(grid), at_noise(grid),
                        improves(grid), depends_on_gamma(grid), spread(grid)};
    write_data(grid, out + "/data/multimodal.csv");
    draw(grid, out + "/figures/multimodal.svg");
    section.pictures = {{"figures/multimodal.svg",
                         "Distance to the truth, jointly and site by site, and the relative gap; "
                         "bands are the 20th to 80th percentile. At s = 0, PGD stops by its step "
                         "norm."}};
    section.files = {"data/multimodal.csv"};
    return section;
  }
};

}  // namespace

std::unique_ptr<Item> make_multimodal() { return std::make_unique<Multimodal>(); }

}  // namespace firm::paper
