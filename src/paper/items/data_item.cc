// Pictures of the data: the true images, and sinograms with few and many angles and with noise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "paper/csv.h"
#include "paper/item.h"
#include "report/pictures/montage.h"

namespace firm::paper {
namespace {

struct Setting {
  int angles;
  double s;
};

constexpr Setting kSettings[] = {{25, 0}, {100, 0}, {100, 0.1}};  // rows of the paper's figure

Simulation simulate_setting(const Setting& setting) {
  SimulateOptions options;
  options.angles = setting.angles;
  options.noise = setting.s;
  return simulate(options);
}

void draw_truth(const Simulation& s, const std::string& path) {
  const auto side = static_cast<std::size_t>(s.geometry.image_rows);
  MontageRow row;
  row.label = "truth";
  for (const SimulatedSite& site : s.sites) {
    row.panels.push_back(make_panel(site.title, site.truth, 0, side, side));
    row.panels.back().units = site.is_xrt() ? "1/cm" : "g/cm^3";
  }
  write_montage(path, {"The true images", {row}});
}

void draw_sinograms(const std::vector<Simulation>& all, const std::string& path) {
  Montage montage{"Sinograms: angles from top to bottom, beamlets from left to right", {}};
  for (const Simulation& s : all) {
    MontageRow row;
    row.label = fmt::format("{} angles, s = {:g}", s.options.angles, s.options.noise);
    row.height = 0.7;
    for (const SimulatedSite& site : s.sites) {
      row.panels.push_back(make_panel(site.title, site.data, 0, s.geometry.angles.size(),
                                      static_cast<std::size_t>(s.geometry.beamlets)));
      row.panels.back().units = site.is_xrt() ? "1" : "g/cm^2";
    }
    montage.rows.push_back(row);
  }
  write_montage(path, montage);
}

// Standard deviation of the noise over the largest value.
double noise_level(const Block& clean, const Block& noisy) {
  double squares = 0;
  for (std::size_t k = 0; k < clean.size(); ++k) {
    const auto d = static_cast<double>(noisy.values()[k] - clean.values()[k]);
    squares += d * d;
  }
  const float largest = *std::max_element(clean.values().begin(), clean.values().end());
  return std::sqrt(squares / static_cast<double>(clean.size())) / static_cast<double>(largest);
}

Finding coupling(const Simulation& s) {
  double worst = 0;
  for (std::size_t p = 0; p < s.sites.back().truth.rows(); ++p) {
    double sum = static_cast<double>(s.sites.back().truth(p, 0));
    for (const SimulatedSite& site : s.sites) {
      sum -= site.coefficient * static_cast<double>(site.truth(p, 0));
    }
    worst = std::max(worst, std::abs(sum));
  }
  return {"The true images obey XRT = 0.1 XRF-1 + 0.6 XRF-2 + 0.3 XRF-3.",
          fmt::format("To {:.0e} in every pixel.", worst), holds_if(worst < 1e-6), ""};
}

Finding noise(const Simulation& clean, const Simulation& noisy) {
  std::string text;
  double worst = 0;
  for (std::size_t i = 0; i < clean.sites.size(); ++i) {
    const double level = noise_level(clean.sites[i].data, noisy.sites[i].data);
    worst = std::max(worst, std::abs(level / noisy.options.noise - 1));
    text += fmt::format("{}{:.4f}", text.empty() ? "" : ", ", level);
  }
  return {fmt::format("Noise of standard deviation s max(b) at every site, s = {:g}.",
                      noisy.options.noise),
          fmt::format("Measured: {}.", text), holds_if(worst < 0.02), ""};
}

class DataItem : public Item {
 public:
  std::string name() const override { return "data"; }
  std::vector<Task> tasks(const Plan& /*plan*/) const override { return {}; }

  Section report(const Plan& /*plan*/, const Results& /*results*/,
                 const std::string& out) const override {
    std::vector<Simulation> all;
    for (const Setting& setting : kSettings) all.push_back(simulate_setting(setting));
    Csv csv({"angles", "s", "site", "coefficient", "largest"});
    for (const Simulation& s : all) {
      for (const SimulatedSite& site : s.sites) {
        const auto values = site.data.values();
        csv.row({cell(s.options.angles), cell(s.options.noise), site.name, cell(site.coefficient),
                 cell(static_cast<double>(*std::max_element(values.begin(), values.end())))});
      }
    }
    csv.write(out + "/data/data.csv");
    draw_truth(all[0], out + "/figures/truth.png");
    draw_sinograms(all, out + "/figures/sinograms.png");
    const Geometry& g = all[0].geometry;
    Section section{name(), "Data: true images and sinograms",
                    fmt::format("{} x {} pixels of {:g} \u00b5m, {} beamlets, angles \u03c0t/T.",
                                g.image_rows, g.image_columns, 1e4 * g.pixel_size, g.beamlets)};
    section.findings = {coupling(all[0]), noise(all[1], all[2])};
    section.pictures = {{"figures/truth.png", "The true images."},
                        {"figures/sinograms.png", "Sinograms of the four sites."}};
    section.files = {"data/data.csv"};
    return section;
  }
};

}  // namespace

std::unique_ptr<Item> make_data() { return std::make_unique<DataItem>(); }

}  // namespace firm::paper
