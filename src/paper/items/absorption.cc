// Beyond the paper: self-absorption, ignored and corrected, for two strengths.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "paper/csv.h"
#include "paper/item.h"
#include "report/pictures/montage.h"
#include "solve/method_names.h"

namespace firm::paper {
namespace {

constexpr double kNoise = 0.01;
constexpr std::size_t kElements = 3;

struct Strength {
  const char* name;
  double field;  // cm: size of the image
};

// In an object this small nothing is absorbed; everything else scales.
constexpr Strength kNone = {"none", 1e-6};
constexpr Strength kStrengths[] = {{"weak", 130e-4}, {"strong", 380e-4}};

struct Contender {
  const char* title;
  const char* method;
  bool corrected;
  bool starts_from_xrt;
};

constexpr Contender kIgnored = {"ignored", method::kFirmDs, false, false};
// A site alone does not know how much matter XRT sees.
constexpr Contender kAlone = {"alone", method::kPgd, true, false};
constexpr Contender kJoint = {"joint", method::kFirmDs, true, true};

struct Case {
  Strength strength;
  Contender contender;
};

std::vector<Case> cases() {
  std::vector<Case> all = {{kNone, kIgnored}};
  for (const Strength& strength : kStrengths) {
    for (const Contender& c : {kIgnored, kAlone, kJoint}) all.push_back({strength, c});
  }
  return all;
}

Trial trial_of(const Plan& plan, const Case& of) {
  Trial trial = plan.trial(of.contender.method, kNoise);
  trial.preset = "geode";
  trial.size = plan.absorption_size;
  trial.angles = plan.absorption_angles;
  trial.absorbing_field = of.strength.field;
  trial.knows_sigma = true;
  trial.keeps_images = true;
  trial.expected_rounds = 50;
  if (!of.contender.corrected) {
    trial.settings.emplace_back("absorption.rounds", "0");
    return trial;
  }
  trial.expected_rounds = 3000;  // of equal work, before the first round
  if (!of.contender.starts_from_xrt) trial.settings.emplace_back("absorption.start", "plain");
  return trial;
}

struct Row {
  Case of;
  TrialResult result;

  std::string title() const {
    if (of.strength.field == kNone.field) return "no absorption";
    return fmt::format("{}, {}", of.strength.name, of.contender.title);
  }
};

std::vector<Row> rows_of(const Plan& plan, const Results& results) {
  std::vector<Row> rows;
  for (const Case& of : cases()) rows.push_back({of, results.get(trial_of(plan, of))});
  return rows;
}

// "0.48 / 0.55 / 0.71".
std::string three(const std::vector<double>& values, const char* format = "{:.2f}") {
  std::string text;
  for (std::size_t i = 0; i < kElements; ++i) {
    if (i > 0) text += " / ";
    text += fmt::format(fmt::runtime(format), values[i]);
  }
  return text;
}

Finding finding(const std::vector<Row>& rows, const Strength& strength) {
  const auto of = [&](const Contender& c) -> const TrialResult& {
    return std::ranges::find_if(rows,
                                [&](const Row& r) {
                                  return r.of.strength.field == strength.field &&
                                         std::string(r.of.contender.title) == c.title;
                                })
        ->result;
  };
  std::vector<double> kept = of(kJoint).kept;
  for (double& k : kept) k *= 100;
  const std::vector<double>& none = rows.front().result.relative_errors;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < kElements; ++i) {
    ratios.push_back(of(kJoint).relative_errors[i] / none[i]);
  }
  return {fmt::format("Masses, {} absorption: {} % of the fluorescence is kept.", strength.name,
                      three(kept, "{:.0f}")),
          fmt::format("Of the true mass: {} if absorption is ignored, {} corrected alone, {} "
                      "corrected jointly, with {} times the error of data without absorption.",
                      three(of(kIgnored).masses), three(of(kAlone).masses),
                      three(of(kJoint).masses), three(ratios)),
          Verdict::kShown, ""};
}

Table table_of(const std::vector<Row>& rows) {
  Table table{
      "Calcium carbonate / iron / zinc",
      {"absorption", "correction", "kept, %", "mass / true mass", "relative error", "outer rounds"},
      {}};
  for (const Row& r : rows) {
    std::vector<double> kept = r.result.kept;
    for (double& k : kept) k *= 100;
    table.rows.push_back({r.of.strength.name, r.of.contender.title,
                          kept.empty() ? "" : three(kept, "{:.0f}"), three(r.result.masses),
                          three(r.result.relative_errors),
                          fmt::format("{}", r.result.outer_rounds)});
  }
  return table;
}

void write_data(const std::vector<Row>& rows, const std::string& path) {
  Csv csv({"absorption", "correction", "element", "kept", "mass", "relative_error"});
  for (const Row& r : rows) {
    for (std::size_t i = 0; i < kElements; ++i) {
      csv.row({r.of.strength.name, r.of.contender.title, cell(static_cast<int>(i + 1)),
               r.result.kept.empty() ? "" : cell(r.result.kept[i]), cell(r.result.masses[i]),
               cell(r.result.relative_errors[i])});
    }
  }
  csv.write(path);
}

// Rows: truth, then each run; all images of an element share the colours of its truth.
void draw(const Plan& plan, const std::vector<Row>& rows, const std::string& path) {
  const SimulatedStudy made = study_of(trial_of(plan, rows.front().of));
  const auto side = static_cast<std::size_t>(made.study.image_rows);
  Montage montage;
  montage.title = "Self-absorption";
  montage.subtitle = "rows: run; above each image its mass over the true one";
  montage.panel_width = 160;
  const auto add_row = [&](const std::string& label, const Block& images,
                           const std::vector<double>& masses) {
    MontageRow row;
    row.label = label;
    for (std::size_t i = 0; i < kElements; ++i) {
      const char* const names[] = {"CaCO3", "Fe", "Zn"};
      const std::string mass = masses.empty() ? "" : fmt::format(", mass {:.2f}", masses[i]);
      Panel panel = make_panel(names[i] + mass, images, i, side, side);
      panel.units = "g/cm^3";
      panel.range = range_of(make_panel("", made.truth, i, side, side).values);
      row.panels.push_back(panel);
    }
    montage.rows.push_back(row);
  };
  add_row("truth", made.truth, {});
  for (const Row& r : rows) {
    add_row(r.title(), images_of(r.result, made.truth.rows()), r.result.masses);
  }
  write_montage(path, montage);
}

class Absorption : public Item {
 public:
  std::string name() const override { return "absorption"; }

  std::vector<Task> tasks(const Plan& plan) const override {
    std::vector<Trial> trials;
    for (const Case& of : cases()) trials.push_back(trial_of(plan, of));
    return make_tasks(trials);
  }

  Section report(const Plan& plan, const Results& results, const std::string& out) const override {
    const std::vector<Row> rows = rows_of(plan, results);
    write_data(rows, out + "/data/absorption.csv");
    draw(plan, rows, out + "/figures/absorption.png");
    Section section{
        name(), "Beyond the paper: self-absorption",
        fmt::format(
            "A shell of CaCO3 around grains of Fe and of Zn at 12 keV, {0} x {0} pixels, {1} "
            "angles over 360 degrees, noise {2:g}, simulated on a grid twice as fine. The size "
            "of the object sets how much it absorbs. Ignored: firm-ds without correction. "
            "Alone: pgd, started without XRT. Joint: firm-ds, started from XRT.",
            plan.absorption_size, plan.absorption_angles, kNoise)};
    for (const Strength& strength : kStrengths) {
      section.findings.push_back(finding(rows, strength));
    }
    section.tables = {table_of(rows)};
    section.pictures = {{"figures/absorption.png", "Images of the elements."}};
    section.files = {"data/absorption.csv"};
    return section;
  }
};

}  // namespace

std::unique_ptr<Item> make_absorption() { return std::make_unique<Absorption>(); }

}  // namespace firm::paper
