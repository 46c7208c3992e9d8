// library.h, and CLI11 for the command line. program.cc alone includes CLI/CLI.hpp: whoever does
// compiles the formatter and the configuration files of CLI11 once more.
#pragma once

#include <CLI/App.hpp>

#include "precompiled/library.h"
