// Internal to the files that read study.toml with toml++.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "io/study/study_file.h"

namespace firm {

// Reads the tables [[site]] of the study.
std::vector<SiteEntry> read_sites(const std::string& path, const toml::table& root);

}  // namespace firm
