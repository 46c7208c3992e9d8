#include "run/study_inputs.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "prep/absorption_privacy.h"
#include "run/shard/shard_plan.h"

namespace firm {
namespace {

std::string path_from(const std::string& directory, const std::filesystem::path& file) {
  return std::filesystem::proximate(file, directory).string();
}

// Finds x near `guess` with exactly change(x) == wanted, so that undoing the binning leaves no
// rounding error.
double undone(double guess, double wanted, const std::function<double(double)>& change) {
  for (const double x :
       {guess, std::nextafter(guess, -HUGE_VAL), std::nextafter(guess, HUGE_VAL)}) {
    if (change(x) == wanted) return x;
  }
  return guess;
}

// Undoes the binning of spacing and rotation axis: a study has both in beamlets of the data file.
void resolve_geometry(const Geometry& g, SiteEntry& entry) {
  const double binning = entry.binning;
  entry.spacing =
      undone(g.spacing / binning, g.spacing, [&](double spacing) { return spacing * binning; });
  entry.rotation_axis = undone(g.rotation_axis * binning, g.rotation_axis,
                               [&](double axis) { return axis / binning; });
  entry.find_rotation_axis = false;
  entry.axis_search.reset();
}

}  // namespace

SolveOptions options_of(const StudyFile& file, const std::string& path, const KeyValues& settings) {
  SolveOptions options;
  for (const Setting& s : file.settings) {
    set_option(options, fmt::format("{}:{}", path, s.line), s.key, s.value);
  }
  for (const auto& [key, value] : settings) set_option(options, "--set", key, value);
  return options;
}

SolveOptions federation_options_of(const StudyFile& file, const std::string& path,
                                   const KeyValues& settings) {
  SolveOptions options = options_of(file, path, settings);
  require_one_chunk(options, "federation");
  check_absorption_privacy(file, options);
  return options;
}

std::string truth_path(const StudyFile& file, const std::string& study_path,
                       const std::string& given) {
  if (!given.empty() || file.truth.empty()) return given;
  return (std::filesystem::path(study_path).parent_path() / file.truth).string();
}

void relocate_study(const std::string& study_path, const std::string& directory, StudyFile& file) {
  const std::filesystem::path here = std::filesystem::path(study_path).parent_path();
  if (!file.truth.empty()) file.truth = path_from(directory, here / file.truth);
  for (SiteEntry& entry : file.sites) {
    for (std::string* name : file_names(entry)) {
      // Arrays are written into the directory of the study, wherever that is.
      if (entry.arrays && name == &entry.data) continue;
      *name = path_from(directory, here / *name);
    }
  }
}

StudyFile resolved_study(StudyFile file, const ResolvedFrom& from, const std::vector<Site>& sites,
                         const SolveOptions& options) {
  relocate_study(from.study_path, from.out, file);
  if (!from.truth.empty()) file.truth = path_from(from.out, from.truth);
  for (SiteEntry& entry : file.sites) {
    for (const Site& site : sites) {
      if (site.name == entry.name) resolve_geometry(site.geometry, entry);
    }
  }
  file.settings.clear();
  for (const OptionText& option : describe_options(options)) {
    file.settings.push_back({option.key, option.value, 0});
  }
  return file;
}

}  // namespace firm
