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

// A federation of the demo, as the picture and the comparison name it.
struct Federated {
  std::string label;
  LocalFederation federation;
};

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

// Draws the truth, the data, and all reconstructions. All images of a site share the colour range
// of its truth.
void draw(const Simulation& s, const std::vector<Federated>& federated, const std::string& alone,
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
  Montage montage;
  montage.title = fmt::format("The paper's study: {} x {} pixels, {} angles, noise {}", side, side,
                              s.geometry.angles.size(), kNoise);
  montage.rows.push_back(image_row("truth", [](const SimulatedSite& site) { return site.truth; }));
  montage.rows.push_back(make_row(s, "sinogram", s.geometry.angles.size(), "g/cm\u00b2", "1",
                                  [](const SimulatedSite& site) { return site.data; }));
  montage.rows.back().height = 0.6;
  montage.rows.push_back(image_row("each site alone (pgd)", from_alone));
  for (const Federated& joint : federated) {
    montage.rows.push_back(image_row(joint.label, [&](const SimulatedSite& site) {
      return read_images(site_directory(joint.federation, site.name) + "/images.h5", site.name);
    }));
  }
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
Row federated_row(const Federated& joint) {
  Row row{joint.label, {}, 0, 0};
  for (const std::string& site : joint.federation.sites) {
    std::ifstream in(site_directory(joint.federation, site) + "/summary.json");
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
      if (entry.contains("received")) continue;
      bytes[entry.at("kind") == "share"] += entry.at("bytes").get<double>();
    }
    fmt::print("  {:<30}{:>15}{:>8}\n", site, bytes_text(bytes[true]), bytes_text(bytes[false]));
  }
  fmt::print("Shares are masked: the coordinator cannot read them or their sum.\n");
}

// The federation of the paper's problem, and one with a total-variation prior.
std::vector<Federated> make_federations(const std::string& out, const Simulation& simulation) {
  const auto in_out = [&](const char* name) { return (fs::path(out) / name).string(); };
  LocalFederation plain{in_out("study.toml"), {}, in_out("federated"), in_out("truth.h5"), {}};
  for (const SimulatedSite& site : simulation.sites) plain.sites.push_back(site.name);
  LocalFederation prior = plain;
  prior.out = in_out("prior");
  prior.settings = {"prior.kind=tv"};
  return {{"federated (firm-ds)", plain}, {"federated, with prior", prior}};
}

void print_study(const Simulation& s) {
  const Geometry& g = s.geometry;
  fmt::print("The paper's study: {} sites, {} x {} pixels, {} angles, {} beamlets, noise {}\n",
             s.sites.size(), g.image_rows, g.image_columns, g.angles.size(), g.beamlets, kNoise);
  fmt::print(
      "Running a coordinator and {} sites as separate processes, connected by mutual TLS:\n"
      "first without a prior, then with one (total variation)\n",
      s.sites.size());
  std::fflush(stdout);
}

// In a real federation no one has the files of all sites.
void write_joined_report(const LocalFederation& federation, const std::string& alone,
                         const std::string& path) {
  ReportRequest report{{}, alone};
  for (const std::string& site : federation.sites) {
    report.runs.push_back(site_directory(federation, site));
  }
  write_report(path, report);
}

void run(const std::string& out) {
  make_directory(out);
  SimulateOptions options;
  options.noise = kNoise;
  const auto in_out = [&](const char* name) { return (fs::path(out) / name).string(); };
  std::vector<Federated> federated;
  Summary alone;
  {
    ProgressLine line;
    const Simulation simulation = simulate(options, line.callback());
    write_simulation(simulation, out, line.callback());
    federated = make_federations(out, simulation);
    print_study(simulation);
    for (const Federated& joint : federated) {
      run_local_federation(joint.federation, [&] {
        line.show_text([&] { return joint.label + ": coordinator and sites are running"; });
      });
    }
    alone = reconstruct_alone(out, line);
    draw(simulation, federated, in_out("alone"), in_out("demo.png"));
    write_joined_report(federated.front().federation, in_out("alone"), in_out("report.html"));
  }
  std::vector<Row> rows = {row_of("each site alone (pgd)", alone)};
  for (const Federated& joint : federated) rows.push_back(federated_row(joint));
  const LocalFederation& plain = federated.front().federation;
  print_comparison(plain.sites, rows);
  print_sent(plain);
  fmt::print(
      "\nStudy      {0}/study.toml\nFederated  {0}/federated: a directory and a log for each site\n"
      "Prior      {0}/prior: the same, with the prior\n"
      "Alone      {0}/alone\nPicture    {1}\nReport     {2}: open it in a browser\n"
      "Compare    firm view {0}/federated/{3} {0}/prior/{3}\n",
      out, in_out("demo.png"), in_out("report.html"), plain.sites.front());
}

}  // namespace

void add_demo(CLI::App& app) {
  auto out = std::make_shared<std::string>("firm-demo");
  CLI::App* verb = app.add_subcommand(
      "demo",
      "Run a whole federation on this machine: simulate the paper's study, reconstruct it with a\n"
      "coordinator and four sites over mutual TLS, without and with a prior, and compare with "
      "each\n"
      "site alone");
  verb->add_option("--out", *out, "Directory for the results; created if needed")
      ->capture_default_str();
  verb->footer(
      "Writes the study and its data files, the federation in federated/, one with a\n"
      "total-variation prior in prior/, each site alone in alone/, the picture demo.png, and\n"
      "report.html with the results of federated/ and alone/.\n"
      "\n"
      "Example:\n"
      "  firm demo --out demo");
  verb->callback([out] { run(*out); });
}

}  // namespace firm
