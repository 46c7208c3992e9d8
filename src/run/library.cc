// Implements the public calls of include/firm/reconstruct.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "firm/error.h"
#include "firm/reconstruct.h"
#include "prep/study_data.h"
#include "run/refine_study.h"
#include "run/shard/shard_solver.h"
#include "run/store/refined_json.h"
#include "run/study_inputs.h"

namespace firm {

Study load_study(const std::string& path) {
  StudyData files(read_study(path), path);
  std::vector<std::string> notes;
  files.geometries();  // reports errors before measurements are read
  files.refuse_counts();
  files.estimate();
  const SolveOptions options = options_of(files.file(), path, {});
  if (needed_refinement(files.file(), options).any()) {
    const Refinement refined = refine_study(files, options, false, {});
    for (const std::string& line : refinement_lines(refined)) notes.push_back(line);
    files.estimate();
  }
  files.require_scales();
  LoadedStudy loaded = files.load(all_slices(files.file()));
  Study study = std::move(loaded.study);
  study.data = std::move(loaded.data);
  study.notes = std::move(notes);
  for (std::size_t i = 0; i < study.sites.size(); ++i) {
    for (const auto& line : preparation_lines(study.sites[i].name, loaded.reports[i])) {
      study.notes.push_back(line);
    }
  }
  return study;
}

SolveOptions load_options(const std::string& path) {
  return options_of(read_study(path), path, {});
}

Solution reconstruct(const Study& study, const SolveOptions& options, const Observer& observer) {
  Study description = study;
  description.data.clear();
  for (std::size_t i = 0; i < study.sites.size(); ++i) {
    if (std::ranges::any_of(study.data, [&](const SiteData& d) { return d.site == i; })) continue;
    throw usage_error({"study", "data", "the measurements of all sites",
                       fmt::format("none of site {}", study.sites[i].name)});
  }
  for (const SiteData& d : study.data) {
    if (d.site >= study.sites.size()) {
      throw usage_error({"study", "data",
                         fmt::format("a site from 0 to {}", study.sites.size() - 1),
                         fmt::format("{}", d.site)});
    }
    description.sites[d.site].weighted_values = d.weights.size() > 0;
  }
  Shard all;
  all.sites.resize(study.sites.size());
  std::iota(all.sites.begin(), all.sites.end(), 0);
  all.slices = {0, study.slices};
  ShardSolver solver(all, description, study.data, options);
  solver.build({}, options.threads);
  LocalCollective collective;
  solver.start({.collective = collective, .observer = observer});
  return solver.solve();
}

Block Solution::image(const std::string& name) const {
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) {
    throw usage_error(
        {"solution", "image", fmt::format("one of {}", fmt::join(names, ", ")), "'" + name + "'"});
  }
  const std::size_t first = static_cast<std::size_t>(at - names.begin()) * slices();
  Block image(images.rows(), slices());
  for (std::size_t p = 0; p < image.rows(); ++p) {
    for (std::size_t z = 0; z < slices(); ++z) image(p, z) = images(p, first + z);
  }
  return image;
}

}  // namespace firm
