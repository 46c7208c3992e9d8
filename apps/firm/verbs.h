// The verbs of the command line. Each function adds a subcommand whose callback does the work.
// Errors are thrown as firm::Error; main prints them and returns their exit code.
//
// To add a verb, declare add_<verb> here, add its file to CMakeLists.txt, and call it in main.cc.
#pragma once

namespace CLI {
class App;
}

namespace firm {

class Processes;

// Exit code of a run that stopped before converging.
inline constexpr int kStoppedEarly = 5;

void add_align(CLI::App& app);
void add_bench(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_demo(CLI::App& app);
void add_init(CLI::App& app);
void add_inspect(CLI::App& app);
void add_pki(CLI::App& app);
void add_report(CLI::App& app);
void add_view(CLI::App& app);
// These verbs set `exit_code`.
void add_audit(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_coordinator(CLI::App& app, int& exit_code);
void add_paper(CLI::App& app, int& exit_code);
// `processes`: the processes of mpirun, in firm-mpi.
void add_recon(CLI::App& app, int& exit_code, Processes* processes = nullptr);
void add_site(CLI::App& app, int& exit_code);
void add_simulate(CLI::App& app);

}  // namespace firm
