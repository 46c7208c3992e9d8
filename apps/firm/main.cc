#include <unistd.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "firm/error.h"
#include "firm/tools.h"
#include "program.h"
#include "verbs.h"

namespace {

bool wants_mpi(int argc, char** argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* a) { return std::string_view(a) == "--mpi"; });
}

// Replaces this process by firm-mpi, a program beside this one. Only firm-mpi links MPI, because
// Ipopt, which this program links, brings a dummy MPI library of its own.
int become_firm_mpi(char** argv) {
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "firm-mpi";
  execv(program.c_str(), argv);
  return firm::failed(
      static_cast<int>(firm::Error::Kind::kUsage),
      program + ": expected the program for --mpi beside this one, found " + std::strerror(errno));
}

}  // namespace

int main(int argc, char** argv) {
  if (wants_mpi(argc, argv)) return become_firm_mpi(argv);
  CLI::App app("Federated joint reconstruction of X-ray fluorescence and transmission tomograms.",
               "firm");
  app.set_version_flag("--version", firm::version_text);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  firm demo --out demo                        a federation on this machine, in a minute\n"
      "  firm simulate --out study                   a study to experiment with\n"
      "  firm recon study/study.toml --out run       its images, in run/report.html\n"
      "  firm recon --help                           options and examples of one verb\n"
      "\n"
      "Exit codes: 0 done, 1 internal error, 2 wrong usage or study file, 3 data file that cannot\n"
      "be read or written, 4 network or authentication, 5 stopped before converging.");
  int outcome = 0;
  firm::add_demo(app);
  firm::add_simulate(app);
  firm::add_recon(app, outcome);
  firm::add_align(app);
  firm::add_pki(app);
  firm::add_check(app, outcome);
  firm::add_coordinator(app, outcome);
  firm::add_site(app, outcome);
  firm::add_audit(app, outcome);
  firm::add_paper(app, outcome);
  firm::add_report(app);
  firm::add_view(app);
  firm::add_init(app);
  firm::add_inspect(app);
  firm::add_calibrate(app);
  firm::add_bench(app);
  return firm::run_program(app, argc, argv, outcome);
}
