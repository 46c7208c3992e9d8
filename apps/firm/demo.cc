#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "core/parallel.h"
#include "firm/projector.h"
#include "io/pending_file.h"
#include "report/montage.h"
#include "sim/simulate.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

// One column per site: a single pass over the rays serves all of them.
Block gather(const Simulation& s, Block SimulatedSite::*member) {
  Block all((s.sites.front().*member).rows(), s.sites.size());
  for (std::size_t i = 0; i < s.sites.size(); ++i) {
    const Block& one = s.sites[i].*member;
    for (std::size_t k = 0; k < all.rows(); ++k) all(k, i) = one(k, 0);
  }
  return all;
}

MontageRow make_row(const Simulation& s, const std::string& label, const Block& columns,
                    std::size_t rows, const std::string& xrf_units, const std::string& xrt_units) {
  MontageRow row;
  row.label = label;
  const std::size_t width = columns.rows() / rows;
  for (std::size_t i = 0; i < s.sites.size(); ++i) {
    const SimulatedSite& site = s.sites[i];
    const std::string title =
        fmt::format("{}  ({})", site.title, site.is_xrt() ? xrt_units : xrf_units);
    row.panels.push_back(make_panel(title, columns, i, rows, width));
  }
  return row;
}

void draw(const Simulation& s, const Block& truth, const Block& data, const Block& back,
          const std::string& path) {
  const Geometry& g = s.geometry;
  const auto side = static_cast<std::size_t>(g.image_rows);
  Montage montage;
  montage.title = fmt::format("The paper's study: {} x {} pixels, {} angles, {} beamlets", side,
                              side, g.angles.size(), g.beamlets);
  montage.rows.push_back(make_row(s, "truth w", truth, side, "g/cm\u00b3", "1/cm"));
  montage.rows.push_back(make_row(s, "sinogram b = A w", data, g.angles.size(), "g/cm\u00b2", "1"));
  montage.rows.back().height = 0.6;
  montage.rows.push_back(make_row(s, "back-projection A\u1d40 b", back, side, "g/cm", "cm"));
  write_montage(path, montage);
}

void run(const std::string& out) {
  make_directory(out);
  ProgressLine line;
  const Stopwatch simulating;
  const Simulation simulation = simulate({}, line.callback());
  write_simulation(simulation, out, line.callback());
  const double simulate_seconds = simulating.seconds();

  ProjectorOptions options;
  options.columns = static_cast<int>(simulation.sites.size());
  const std::unique_ptr<Projector> projector = make_projector(simulation.geometry, options);
  const Block truth = gather(simulation, &SimulatedSite::truth);
  const Block data = gather(simulation, &SimulatedSite::data);
  Block projection(data.rows(), data.columns());
  Block back(truth.rows(), truth.columns());
  const Stopwatch projecting;
  projector->forward(truth, projection);
  const double forward_seconds = projecting.seconds();
  const Stopwatch returning;
  projector->adjoint(data, back);
  const double adjoint_seconds = returning.seconds();

  const std::string picture = (std::filesystem::path(out) / "demo.png").string();
  draw(simulation, truth, data, back, picture);

  const Geometry& g = simulation.geometry;
  fmt::print("The paper's study: {} sites, {} x {} pixels, {} angles, {} beamlets\n",
             simulation.sites.size(), g.image_rows, g.image_columns, g.angles.size(), g.beamlets);
  fmt::print("  simulated and written  {:8.3f} s\n", simulate_seconds);
  fmt::print("  projected              {:8.3f} ms  (all sites at once, kernel {}, {} threads)\n",
             1e3 * forward_seconds, projector->kernel(), thread_count(0));
  fmt::print("  back-projected         {:8.3f} ms\n", 1e3 * adjoint_seconds);
  fmt::print("Study   {}\n", (std::filesystem::path(out) / "study.toml").string());
  fmt::print("Picture {}\n", picture);
}

}  // namespace

void add_demo(CLI::App& app) {
  auto out = std::make_shared<std::string>("firm-demo");
  CLI::App* verb =
      app.add_subcommand("demo", "Simulate the paper's study, project it, and draw a picture");
  verb->add_option("--out", *out, "Directory for the files; created when needed")
      ->capture_default_str();
  verb->footer(
      "Example:\n"
      "  firm demo --out demo       leaves demo/study.toml, its data files, and demo/demo.png");
  verb->callback([out] { run(*out); });
}

}  // namespace firm
