// The same as library.h, for the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "precompiled/library.h"
