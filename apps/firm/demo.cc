#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "local_federation.h"
#include "report/pictures/montage.h"
#include "run/reconstruct.h"
#include "run/report/run_report.h"
#include "sim/simulate.h"
#include "solve/method_names.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

constexpr double kNoise = 0.01;

// One row of the picture, with one panel per site.
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

// Draws the truth, the data, and both reconstructions. All images of a site share the colour range
// of its truth.
void draw(const Simulation& s, const LocalFederation& joint, const std::string& alone,
          const std::string& path) {
  const auto side = static_cast<std::size_t>(s.geometry.image_rows);
  const auto image_row = [&](const std::string& label, const auto& values_of) {
    MontageRow row = make_row(s, label, side, "g/cm\u00b3", "1/cm", values_of);
    for (std::size_t i = 0; i < s.sites.size(); ++i) {
      row.panels[i].range = range_of(s.sites[i].truth.values());
    }
    return row;
  };
  const auto from_alone = [&](const SimulatedSite& site) {
    return read_images(alone + "/images.h5", site.name);
  };
  const auto from_site = [&](const SimulatedSite& site) {
    return read_images(site_directory(joint, site.name) + "/images.h5", site.name);
  };
  Montage montage;
  montage.title = fmt::format("The paper's study: {} x {} pixels, {} angles, noise {}", side, side,
                              s.geometry.angles.size(), kNoise);
  montage.rows.push_back(image_row("truth", [](const SimulatedSite& site) { return site.truth; }));
  montage.rows.push_back(make_row(s, "sinogram", s.geometry.angles.size(), "g/cm\u00b2", "1",
                                  [](const SimulatedSite& site) { return site.data; }));
  montage.rows.back().height = 0.6;
  montage.rows.push_back(image_row("each site alone (pgd)", from_alone));
  montage.rows.push_back(image_row("federated (firm-ds)", from_site));
  write_montage(path, montage);
}

Summary reconstruct_alone(const std::string& directory, ProgressLine& line) {
  ReconArguments arguments;
  arguments.study = directory + "/study.toml";
  arguments.out = directory + "/alone";
  arguments.start = RunDirectory::Start::kOverwrite;
  arguments.settings = {{"method", method::kPgd}};
  RunCallbacks callbacks;
  callbacks.progress = line.callback();
  return reconstruct_to_directory(arguments, callbacks).summary;
}

// One line of the comparison.
struct Row {
  std::string label;
  std::vector<double> errors;  // of each site
  int rounds = 0;
  double seconds = 0;
};

Row row_of(const std::string& label, const Summary& s) {
  Row row{label, {}, s.rounds, s.seconds};
  for (const SiteSummary& site : s.sites) row.errors.push_back(*site.error);
  return row;
}

// Reads the summaries that the sites wrote.
Row federated_row(const LocalFederation& f) {
  Row row{"federated (firm-ds)", {}, 0, 0};
  for (const std::string& site : f.sites) {
    std::ifstream in(site_directory(f, site) + "/summary.json");
    const auto summary = nlohmann::json::parse(in);
    row.errors.push_back(summary.at("error_to_truth").at("total"));
    row.rounds = summary.at("rounds");
    row.seconds = std::max(row.seconds, summary.at("seconds").get<double>());
  }
  return row;
}

void print_comparison(const std::vector<std::string>& sites, const std::vector<Row>& rows) {
  fmt::print("\nDistance to the truth      ");
  for (const std::string& site : sites) fmt::print("{:>9}", site);
  fmt::print("{:>9}{:>9}{:>9}\n", "all", "rounds", "seconds");
  for (const Row& row : rows) {
    fmt::print("{:<27}", row.label);
    double all = 0;
    for (const double error : row.errors) {
      fmt::print("{:>9.2f}", error);
      all = std::hypot(all, error);
    }
    fmt::print("{:>9.2f}{:>9}{:>9.2f}\n", all, row.rounds, row.seconds);
  }
}

// Prints the bytes that left each site, from its ledger.
void print_sent(const LocalFederation& f) {
  fmt::print("\nBytes sent by each site (ledger.jsonl)   shares   other\n");
  for (const std::string& site : f.sites) {
    std::map<bool, double> bytes;
    std::ifstream in(site_directory(f, site) + "/ledger.jsonl");
    for (std::string line; std::getline(in, line);) {
      const auto entry = nlohmann::json::parse(line);
      bytes[entry.at("kind") == "share"] += entry.at("bytes").get<double>();
    }
    fmt::print("  {:<30}{:>15}{:>8}\n", site, bytes_text(bytes[true]), bytes_text(bytes[false]));
  }
  fmt::print("Shares are masked: the coordinator cannot read them or their sum.\n");
}

void run(const std::string& out) {
  make_directory(out);
  SimulateOptions options;
  options.noise = kNoise;
  const auto in_out = [&](const char* name) { return (fs::path(out) / name).string(); };
  LocalFederation federation{in_out("study.toml"), {}, in_out("federated"), in_out("truth.h5"), {}};
  Summary alone;
  {
    ProgressLine line;
    const Simulation simulation = simulate(options, line.callback());
    write_simulation(simulation, out, line.callback());
    for (const SimulatedSite& site : simulation.sites) federation.sites.push_back(site.name);
    const Geometry& g = simulation.geometry;
    fmt::print("The paper's study: {} sites, {} x {} pixels, {} angles, {} beamlets, noise {}\n",
               simulation.sites.size(), g.image_rows, g.image_columns, g.angles.size(), g.beamlets,
               kNoise);
    fmt::print(
        "Running a coordinator and {} sites as separate processes, connected by mutual TLS\n",
        federation.sites.size());
    std::fflush(stdout);
    run_local_federation(federation, [&] {
      line.show_text([] { return std::string("coordinator and sites are running"); });
    });
    alone = reconstruct_alone(out, line);
    draw(simulation, federation, in_out("alone"), in_out("demo.png"));
    // In a real federation no one has the files of all sites.
    ReportRequest report{{}, in_out("alone")};
    for (const std::string& site : federation.sites) {
      report.runs.push_back(site_directory(federation, site));
    }
    write_report(in_out("report.html"), report);
  }
  print_comparison(federation.sites,
                   {row_of("each site alone (pgd)", alone), federated_row(federation)});
  print_sent(federation);
  fmt::print(
      "\nStudy      {0}/study.toml\nFederated  {0}/federated: a directory and a log for each site\n"
      "Alone      {0}/alone\nPicture    {1}\nReport     {2}: open it in a browser\n",
      out, in_out("demo.png"), in_out("report.html"));
}

}  // namespace

void add_demo(CLI::App& app) {
  auto out = std::make_shared<std::string>("firm-demo");
  CLI::App* verb = app.add_subcommand(
      "demo",
      "Run a whole federation on this machine: simulate the paper's study, reconstruct it with a\n"
      "coordinator and four sites over mutual TLS, and compare with each site alone");
  verb->add_option("--out", *out, "Directory for the results; created if needed")
      ->capture_default_str();
  verb->footer(
      "Writes the study and its data files, the federation in federated/, each site alone in\n"
      "alone/, the picture demo.png, and report.html with all results.\n"
      "\n"
      "Example:\n"
      "  firm demo --out demo");
  verb->callback([out] { run(*out); });
}

}  // namespace firm
