// The verbs of the command line. Each adds a subcommand whose callback does the work; an error is
// thrown as firm::Error and becomes a message and an exit code in main.
//
// A new verb: its add_<verb> here, its file in CMakeLists.txt, its call in main.cc.
#pragma once

namespace CLI {
class App;
}

namespace firm {

class Processes;

// Exit code of a run that stopped before it converged.
inline constexpr int kStoppedEarly = 5;

void add_bench(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_demo(CLI::App& app);
void add_inspect(CLI::App& app);
void add_pki(CLI::App& app);
void add_report(CLI::App& app);
void add_view(CLI::App& app);
// These set `exit_code` when the verb has run.
void add_check(CLI::App& app, int& exit_code);
void add_coordinator(CLI::App& app, int& exit_code);
void add_paper(CLI::App& app, int& exit_code);
// `processes`: those of mpirun, in firm-mpi.
void add_recon(CLI::App& app, int& exit_code, Processes* processes = nullptr);
void add_site(CLI::App& app, int& exit_code);
void add_simulate(CLI::App& app);

}  // namespace firm
