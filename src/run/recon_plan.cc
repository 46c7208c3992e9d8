#include "run/recon_plan.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/available_memory.h"
#include "core/byte_size.h"
#include "io/files/pending_file.h"
#include "io/formats/array_scan.h"
#include "prep/site_noise.h"
#include "run/distributed.h"
#include "run/memory/memory_estimate.h"
#include "run/refine_study.h"
#include "run/store/refined_json.h"

namespace firm {

ReconPlan::ReconPlan(const ReconArguments& arguments)
    : arguments_(arguments),
      data_(arguments.given ? *arguments.given : read_study(arguments.study), arguments.study),
      options_(recon_options(data_.file(), arguments)),
      truth_(truth_path(data_.file(), arguments.study, arguments.truth)) {}

void ReconPlan::make(const Processes& processes, const RunCallbacks& callbacks) {
  data_.geometries();  // reports errors before much is read
  data_.refuse_counts();
  report(callbacks.progress, "reading the data", 0);
  const std::string& warning = data_.noise_warning();
  if (!warning.empty() && processes.rank() == 0 && callbacks.on_event) {
    callbacks.on_event("warning: " + warning);
  }
  data_.estimate();
  available_ = available_memory();
  refine(processes, callbacks);
  data_.require_scales();
  data_.diagnose();
  study_ = data_.geometries();
  available_ = available_memory();  // what the alignment has freed counts again
  if (arguments_.separate) {
    require_one_chunk(options_, "firm recon with --separate or --mpi");
    shards_ = plan_side_by_side(study_.sites.size(), study_.slices, processes.count());
    return;
  }
  Study likely = study_;
  for (Site& site : likely.sites) {
    site.weighted_values = may_have_weights(data_.file(), site.name);
  }
  const bool resumed = arguments_.start == RunDirectory::Start::kResume;
  const Hosted hosted{.truth = !truth_.empty(), .refine = needed_refinement(given_, options_)};
  shards_ = plan_in_turn(estimate_memory(options_, likely, hosted), study_, options_, resumed,
                         {arguments_.max_memory, available_});
  options_.chunks = static_cast<int>(shards_.stages.size());
}

// Every process aligns all sites: the result has to be the same everywhere, and takes about as long
// as one reconstruction of a few slices.
void ReconPlan::refine(const Processes& processes, const RunCallbacks& callbacks) {
  given_ = data_.file();
  given_sites_ = data_.geometries().sites;
  const RefineChoice choice = needed_refinement(given_, options_);
  if (!choice.any()) return;
  check_refined_method(given_, choice, options_.method);
  require_memory_to_align(estimate_alignment_memory(choice, data_.geometries()),
                          {arguments_.max_memory, available_});
  refined_ = refine_study(data_, options_, arguments_.separate, callbacks.progress);
  data_.estimate();
  if (processes.rank() != 0 || !callbacks.on_event) return;
  for (const std::string& line : refinement_lines(*refined_)) callbacks.on_event(line);
}

StudyFile ReconPlan::write_studies(const RunDirectory& directory) const {
  const ResolvedFrom from{arguments_.study, directory.path(), arguments_.truth};
  StudyFile resolved = resolved_study(given_, from, given_sites_, options_);
  for (const SiteEntry& entry : resolved.sites) {
    if (!entry.arrays) continue;
    const std::string file = directory.file(entry.data);
    make_directory(std::filesystem::path(file).parent_path().string());
    write_arrays(file, entry.name, *entry.arrays);
  }
  write_study(directory.file("study.toml"), resolved);
  if (refined_) {
    SolveOptions options = options_;
    options.refine = "none";
    write_study(directory.file("refined.toml"),
                resolved_study(data_.file(), from, study_.sites, options));
  } else {
    directory.remove("refined.toml");  // of another run
  }
  return resolved;
}

std::uint64_t ReconPlan::memory_of_process(std::size_t rank) const {
  SideBySide process;
  process.first = rank == 0;
  for (const Shard& shard : shards_.stages.front().of_process[rank]) {
    process.parts.push_back({shard.sites.front(), shard.slices.count});
  }
  return estimate_memory(options_, study_, process);
}

void ReconPlan::check_memory_side_by_side(Processes& processes) {
  // Processes on one machine share its memory.
  shards_.needed = processes.add_on_machine(memory_of_process(processes.rank()));
  do_together(processes, [&] {
    if (shards_.needed <= available_) return;
    throw data_error(
        {"memory", "",
         fmt::format("about {} for {} slice{} by {}, site by site", byte_size_text(shards_.needed),
                     study_.slices, study_.slices == 1 ? "" : "s", options_.method),
         fmt::format("{} available; --mpi spreads sites and slices over more machines, and without "
                     "--separate --max-memory computes fewer slices at a time",
                     byte_size_text(available_))});
  });
}

std::string ReconPlan::memory_text() const {
  std::string text = fmt::format("memory: about {} needed, {} available",
                                 byte_size_text(shards_.needed), byte_size_text(available_));
  if (several()) {
    text += fmt::format("; {} slices in {} chunks", study_.slices, shards_.stages.size());
  }
  return text;
}

}  // namespace firm
