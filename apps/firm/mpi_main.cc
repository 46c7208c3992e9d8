// firm-mpi: `firm recon --mpi` runs this program in every process that mpirun starts.
#include <CLI/App.hpp>

#include "federation/transport/mpi_processes.h"
#include "firm/error.h"
#include "firm/version.h"
#include "program.h"
#include "verbs.h"

int main(int argc, char** argv) try {
  firm::MpiProcesses processes;
  CLI::App app("One process of firm recon --mpi.", "firm");
  app.set_version_flag("--version", std::string("firm ") + firm::kVersion);
  app.require_subcommand(1);
  int outcome = 0;
  firm::add_recon(app, outcome, &processes);
  return firm::run_program(app, argc, argv, outcome, processes.rank() == 0);
} catch (const firm::Error& error) {  // from the start of MPI
  return firm::failed(error.exit_code(), error.what());
}
