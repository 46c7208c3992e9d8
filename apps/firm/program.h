// Common to firm and firm-mpi: from a command line to an exit code.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace firm {

// Prints "firm: error: ..." and returns `code`.
int failed(int code, const std::string& message);

// Parses the command line, runs the verb, and returns the exit code: `outcome`, which the verb
// sets, or that of an error, which is printed. Only a process that `speaks` prints errors in the
// command line, so that mpirun shows them once.
int run_program(CLI::App& app, int argc, char** argv, const int& outcome, bool speaks = true);

}  // namespace firm
