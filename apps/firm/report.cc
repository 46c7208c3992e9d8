#include <fmt/format.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>

#include "run/report/run_report.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  std::string run;
  std::string alone;
  std::string out;
};

void run(const Arguments& a) {
  const std::string path =
      a.out.empty() ? (std::filesystem::path(a.run) / "report.html").string() : a.out;
  write_report(path, {{a.run}, a.alone});
  fmt::print("wrote {}\n", path);
}

}  // namespace

void add_report(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "report",
      "Write report.html of a finished run again: images, curves, optimality certificate");
  verb->add_option("RUN", a->run, "Run directory")->required();
  verb->add_option("--alone", a->alone,
                   "Directory of a run of the same study that solved every site alone (method pgd\n"
                   "or plsqr); the report compares its images");
  verb->add_option("--out", a->out, "File to write; default: RUN/report.html");
  verb->footer(
      "The page is one file that any browser opens without a network. Every run writes it; use\n"
      "this command for a newer page or for a comparison. docs/report.md describes the page.\n"
      "\n"
      "Example:\n"
      "  firm recon study/study.toml --out run\n"
      "  firm recon study/study.toml --out alone --method pgd\n"
      "  firm report run --alone alone");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
