#include "run/study_inputs.h"

#include <fmt/format.h>

#include <filesystem>

#include "run/chunks.h"

namespace firm {
namespace {

std::string path_from(const std::string& directory, const std::filesystem::path& file) {
  return std::filesystem::proximate(file, directory).string();
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
  return options;
}

std::string truth_path(const StudyFile& file, const std::string& study_path,
                       const std::string& given) {
  if (!given.empty() || file.truth.empty()) return given;
  return (std::filesystem::path(study_path).parent_path() / file.truth).string();
}

StudyFile resolved_study(StudyFile file, const ResolvedFrom& from, const std::vector<Site>& sites,
                         const SolveOptions& options) {
  const std::filesystem::path here = std::filesystem::path(from.study_path).parent_path();
  if (!file.truth.empty()) file.truth = path_from(from.out, here / file.truth);
  if (!from.truth.empty()) file.truth = path_from(from.out, from.truth);
  for (SiteEntry& entry : file.sites) {
    entry.data = path_from(from.out, here / entry.data);
    for (const Site& site : sites) {
      if (site.name != entry.name) continue;
      entry.spacing = site.geometry.spacing;
      entry.rotation_axis = site.geometry.rotation_axis;
    }
  }
  file.settings.clear();
  for (const OptionText& option : describe_options(options)) {
    file.settings.push_back({option.key, option.value, 0});
  }
  return file;
}

}  // namespace firm
