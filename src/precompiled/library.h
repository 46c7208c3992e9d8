// Headers that most sources parse, compiled once. Every source still includes what it uses: builds
// without precompiled headers (dev, asan, tsan, fuzz) fail otherwise.
//
// Only headers that cost nothing where they are not used belong here. JSON, for one, does not:
// it adds half a second to every source (docs/performance.md, "Build").
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
