// ReconPlan: what a reconstruction reads, solves and writes, decided before any file is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firm/refinement.h"
#include "prep/study_data.h"
#include "run/reconstruct.h"
#include "run/shard/shard_plan.h"

namespace firm {

class ReconPlan {
 public:
  // Reads the study file. Throws firm::Error.
  explicit ReconPlan(const ReconArguments& arguments);

  // Opens the data files, estimates what the study leaves open, and cuts the study into shards.
  // Throws firm::Error when the study is wrong, or when all sites in one process need more memory
  // than there is.
  void make(const Processes& processes, const RunCallbacks& callbacks);
  // Throws firm::Error when the processes on this machine need more memory than it has. Called by
  // all of them.
  void check_memory_side_by_side(Processes& processes);

  StudyData& data() { return data_; }
  // What alignment has found; none: nothing was refined.
  const std::optional<Refinement>& refined() const { return refined_; }
  // Writes study.toml, refined.toml if there is one, and data that is in memory. Returns the study
  // of the former.
  StudyFile write_studies(const RunDirectory& directory) const;
  const SolveOptions& options() const { return options_; }
  const std::string& truth() const { return truth_; }  // file; empty: none
  const Study& study() const { return study_; }        // all slices
  const std::vector<Stage>& stages() const { return shards_.stages; }
  std::size_t most_absorption() const { return shards_.most_absorption; }
  bool several() const { return shards_.stages.size() > 1; }
  // Slices of a stage that hosts all sites.
  const SliceRange& slices(std::size_t stage) const {
    return shards_.stages[stage].of_process.front().front().slices;
  }
  // For people: memory needed and available, number of chunks.
  std::string memory_text() const;

 private:
  void refine(const Processes& processes, const RunCallbacks& callbacks);
  std::uint64_t memory_of_process(std::size_t rank) const;

  const ReconArguments& arguments_;
  StudyData data_;
  SolveOptions options_;
  std::string truth_;
  // The study as it was before refinement, with its sites.
  StudyFile given_;
  std::vector<Site> given_sites_;
  std::optional<Refinement> refined_;
  Study study_;
  ShardPlan shards_;
  std::uint64_t available_ = 0;  // memory
};

}  // namespace firm
