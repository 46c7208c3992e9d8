#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "io/image_file.h"
#include "io/pending_file.h"
#include "report/montage.h"
#include "run/reconstruct.h"
#include "sim/simulate.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

constexpr double kNoise = 0.01;

// One row of the picture: one panel per site.
template <typename Values>
MontageRow make_row(const Simulation& s, const std::string& label, std::size_t rows,
                    const std::string& xrf_units, const std::string& xrt_units,
                    const Values& values_of) {
  MontageRow row;
  row.label = label;
  for (const SimulatedSite& site : s.sites) {
    const Block values = values_of(site);
    Panel panel = make_panel(site.title, values, 0, rows, values.rows() / rows);
    panel.units = site.is_xrt() ? xrt_units : xrf_units;
    row.panels.push_back(panel);
  }
  return row;
}

// The truth, the data, and both reconstructions, all images of a site with the truth's colours.
void draw(const Simulation& s, const std::string& joint, const std::string& alone,
          const std::string& path) {
  const auto side = static_cast<std::size_t>(s.geometry.image_rows);
  const auto image_row = [&](const std::string& label, const auto& values_of) {
    MontageRow row = make_row(s, label, side, "g/cm\u00b3", "1/cm", values_of);
    for (std::size_t i = 0; i < s.sites.size(); ++i) {
      row.panels[i].range = range_of(s.sites[i].truth.values());
    }
    return row;
  };
  const auto from_run = [](const std::string& run) {
    return [run](const SimulatedSite& site) { return read_images(run + "/images.h5", site.name); };
  };
  Montage montage;
  montage.title = fmt::format("The paper's study: {} x {} pixels, {} angles, noise {}", side, side,
                              s.geometry.angles.size(), kNoise);
  montage.rows.push_back(image_row("truth", [](const SimulatedSite& site) { return site.truth; }));
  montage.rows.push_back(make_row(s, "sinogram", s.geometry.angles.size(), "g/cm\u00b2", "1",
                                  [](const SimulatedSite& site) { return site.data; }));
  montage.rows.back().height = 0.6;
  montage.rows.push_back(image_row("each site alone (pgd)", from_run(alone)));
  montage.rows.push_back(image_row("joint (firm-ds)", from_run(joint)));
  write_montage(path, montage);
}

Summary run_method(const std::string& directory, const std::string& method, ProgressLine& line) {
  ReconArguments arguments;
  arguments.study = directory + "/study.toml";
  arguments.out = directory + "/" + method;
  arguments.start = RunDirectory::Start::kOverwrite;
  arguments.settings = {{"method", method}};
  ReconCallbacks callbacks;
  callbacks.progress = line.callback();
  return reconstruct(arguments, callbacks).summary;
}

void print_comparison(const Summary& joint, const Summary& alone) {
  fmt::print("\nDistance to the truth      ");
  for (const SiteSummary& site : joint.sites) fmt::print("{:>9}", site.name);
  fmt::print("{:>9}{:>9}{:>9}\n", "all", "rounds", "seconds");
  for (const Summary* s : {&alone, &joint}) {
    fmt::print("{:<27}", s == &joint ? "joint (firm-ds)" : "each site alone (pgd)");
    for (const SiteSummary& site : s->sites) fmt::print("{:>9.2f}", *site.error);
    fmt::print("{:>9.2f}{:>9}{:>9.2f}\n", *s->error, s->rounds, s->seconds);
  }
}

void run(const std::string& out) {
  make_directory(out);
  SimulateOptions options;
  options.noise = kNoise;
  Summary joint;
  Summary alone;
  const std::string picture = (std::filesystem::path(out) / "demo.png").string();
  {
    ProgressLine line;
    const Simulation simulation = simulate(options, line.callback());
    write_simulation(simulation, out, line.callback());
    joint = run_method(out, "firm-ds", line);
    alone = run_method(out, "pgd", line);
    draw(simulation, out + "/firm-ds", out + "/pgd", picture);
    const Geometry& g = simulation.geometry;
    fmt::print("The paper's study: {} sites, {} x {} pixels, {} angles, {} beamlets, noise {}\n",
               simulation.sites.size(), g.image_rows, g.image_columns, g.angles.size(), g.beamlets,
               kNoise);
  }
  print_comparison(joint, alone);
  fmt::print("\nStudy    {0}/study.toml\nRuns     {0}/firm-ds, {0}/pgd\nPicture  {1}\n", out,
             picture);
}

}  // namespace

void add_demo(CLI::App& app) {
  auto out = std::make_shared<std::string>("firm-demo");
  CLI::App* verb = app.add_subcommand(
      "demo", "Simulate the paper's study, reconstruct it jointly and site by site, and compare");
  verb->add_option("--out", *out, "Directory for the files; created when needed")
      ->capture_default_str();
  verb->footer(
      "Example:\n"
      "  firm demo --out demo       leaves demo/study.toml, its data files, the runs demo/firm-ds\n"
      "                             and demo/pgd, and demo/demo.png");
  verb->callback([out] { run(*out); });
}

}  // namespace firm
