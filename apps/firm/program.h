// What firm and firm-mpi have in common: from a command line to an exit code.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace firm {

// Prints "firm: error: ..." and gives the code back.
int failed(int code, const std::string& message);

// Parses, and does what the verb does. `outcome` is the exit code that the verb has set; an error
// is printed, and its code returned instead. `speaks`: whether this process is the one that tells
// what is wrong with the command line.
int run_program(CLI::App& app, int argc, char** argv, const int& outcome, bool speaks = true);

}  // namespace firm
