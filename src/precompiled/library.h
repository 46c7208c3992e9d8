// Headers that most sources of the library parse, compiled once. Every source still includes what
// it uses: builds without precompiled headers (asan, tsan) would fail otherwise.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>
