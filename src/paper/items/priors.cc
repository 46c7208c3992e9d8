// Beyond the paper: the total-variation prior, on objects with edges and on one without.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "paper/csv.h"
#include "paper/item.h"
#include "report/pictures/montage.h"
#include "solve/method_names.h"

namespace firm::paper {
namespace {

struct Contender {
  const char* title;
  const char* method;
  bool prior;
};

constexpr Contender kContenders[] = {{"alone", method::kPgd, false},
                                     {"joint", method::kFirmDs, false},
                                     {"joint + TV", method::kFirmDs, true}};

// Objects that the prior fits, and last one that it does not.
constexpr const char* kPresets[] = {"paper", "shapes", "smooth"};
constexpr double kPictureNoise = 0.05;
constexpr int kPictureAngles = 25;

struct Case {
  std::string preset;
  int angles;
  double s;

  bool in_picture() const { return angles == kPictureAngles && s == kPictureNoise; }
};

std::vector<Case> cases_of(const Plan& plan) {
  std::vector<Case> cases;
  for (const char* preset : kPresets) {
    for (const int angles : plan.prior_angles) {
      for (const double s : plan.noise) {
        if (s > 0) cases.push_back({preset, angles, s});
      }
    }
  }
  return cases;
}

Trial trial_of(const Plan& plan, const Contender& contender, const Case& of, int sample) {
  Trial trial = plan.trial(contender.method, of.s);
  trial.preset = of.preset;
  trial.angles = of.angles;
  trial.sample = sample;
  trial.knows_sigma = true;
  trial.keeps_images = of.in_picture() && sample == 1;
  trial.expected_rounds = 50;  // of equal work
  if (!contender.prior) return trial;
  trial.settings.emplace_back("prior.kind", "tv");
  trial.expected_rounds = 900;  // the search of the strength takes most of it
  return trial;
}

struct Row {
  Case of;
  std::vector<double> errors;  // mean over samples, of each contender
  double strength = 0;         // mean over samples
  double rounds = 0;           // with the prior

  double ratio() const { return errors[2] / errors[1]; }
};

std::vector<Row> rows_of(const Plan& plan, const Results& results) {
  std::vector<Row> rows;
  const int samples = plan.prior_samples;
  for (const Case& of : cases_of(plan)) {
    Row row{of, {}, 0, 0};
    for (const Contender& contender : kContenders) {
      double error = 0;
      for (int sample = 1; sample <= samples; ++sample) {
        const TrialResult r = results.get(trial_of(plan, contender, of, sample));
        error += r.error / samples;
        if (!contender.prior) continue;
        row.strength += r.prior_strength / samples;
        row.rounds += static_cast<double>(r.rounds) / samples;
      }
      row.errors.push_back(error);
    }
    rows.push_back(row);
  }
  return rows;
}

// Smallest and largest distance with the prior, divided by that without, of some rows.
Finding ratios(const std::vector<Row>& rows, const std::string& claim, bool edges) {
  double least = 1e300;
  double most = 0;
  for (const Row& row : rows) {
    if ((row.of.preset != "smooth") != edges) continue;
    least = std::min(least, row.ratio());
    most = std::max(most, row.ratio());
  }
  return {claim, fmt::format("{:.2f} to {:.2f} times the distance without it.", least, most),
          Verdict::kShown, ""};
}

// Rows: truth, then each contender; all images of a site share the colours of its truth.
void draw(const Plan& plan, const Results& results, const Case& of, const std::string& path) {
  const SimulatedStudy made = study_of(trial_of(plan, kContenders[0], of, 1));
  const auto side = static_cast<std::size_t>(made.study.image_rows);
  Montage montage;
  montage.title = fmt::format("--preset {}: {} angles, noise {:g}", of.preset, of.angles, of.s);
  montage.subtitle = "rows: run and its distance to the truth";
  montage.panel_width = 160;
  const auto add_row = [&](const std::string& label, const Block& images) {
    MontageRow row;
    row.label = label;
    for (std::size_t i = 0; i < made.study.sites.size(); ++i) {
      const Site& site = made.study.sites[i];
      Panel panel = make_panel(site.name, images, i, side, side);
      panel.units = site.kind == SiteKind::kXrt ? "1/cm" : "g/cm^3";
      panel.range = range_of(make_panel("", made.truth, i, side, side).values);
      row.panels.push_back(panel);
    }
    montage.rows.push_back(row);
  };
  add_row("truth", made.truth);
  for (const Contender& contender : kContenders) {
    const TrialResult r = results.get(trial_of(plan, contender, of, 1));
    add_row(fmt::format("{}: {:.1f}", contender.title, r.error), images_of(r, made.truth.rows()));
  }
  write_montage(path, montage);
}

Table table_of(const std::vector<Row>& rows) {
  Table table{
      "Distance to the truth",
      {"object", "angles", "s", "alone", "joint", "joint + TV", "TV / joint", "strength", "rounds"},
      {}};
  for (const Row& r : rows) {
    table.rows.push_back({r.of.preset, fmt::format("{}", r.of.angles), number_text(r.of.s),
                          fmt::format("{:.2f}", r.errors[0]), fmt::format("{:.2f}", r.errors[1]),
                          fmt::format("{:.2f}", r.errors[2]), fmt::format("{:.2f}", r.ratio()),
                          fmt::format("{:.2f}", r.strength), fmt::format("{:.1f}", r.rounds)});
  }
  return table;
}

void write_data(const std::vector<Row>& rows, const std::string& path) {
  Csv csv({"preset", "angles", "s", "alone", "joint", "joint_tv", "strength", "rounds"});
  for (const Row& r : rows) {
    csv.row({r.of.preset, cell(r.of.angles), cell(r.of.s), cell(r.errors[0]), cell(r.errors[1]),
             cell(r.errors[2]), cell(r.strength), cell(r.rounds)});
  }
  csv.write(path);
}

class Priors : public Item {
 public:
  std::string name() const override { return "priors"; }

  std::vector<Task> tasks(const Plan& plan) const override {
    std::vector<Trial> trials;
    for (const Case& of : cases_of(plan)) {
      for (const Contender& contender : kContenders) {
        for (int sample = 1; sample <= plan.prior_samples; ++sample) {
          trials.push_back(trial_of(plan, contender, of, sample));
        }
      }
    }
    return make_tasks(trials);
  }

  Section report(const Plan& plan, const Results& results, const std::string& out) const override {
    const std::vector<Row> rows = rows_of(plan, results);
    write_data(rows, out + "/data/priors.csv");
    Section section{
        name(), "Beyond the paper: a prior",
        fmt::format("Runs without options where sigma is known: pgd alone and firm-ds jointly, "
                    "which stop at the noise, and firm-ds with total variation of automatic "
                    "strength. Mean of {} noise sample{}.",
                    plan.prior_samples, plan.prior_samples == 1 ? "" : "s")};
    section.findings = {
        ratios(rows, "Total variation, on objects with edges (paper, shapes).", true),
        ratios(rows, "Total variation, on an object without edges (smooth).", false)};
    section.tables = {table_of(rows)};
    for (const Case& of : cases_of(plan)) {
      if (!of.in_picture()) continue;
      const std::string file = fmt::format("figures/priors_{}.png", of.preset);
      draw(plan, results, of, out + "/" + file);
      section.pictures.push_back({file, fmt::format("Images of --preset {}.", of.preset)});
    }
    section.files = {"data/priors.csv"};
    return section;
  }
};

}  // namespace

std::unique_ptr<Item> make_priors() { return std::make_unique<Priors>(); }

}  // namespace firm::paper
