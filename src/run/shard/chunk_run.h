// ChunkRun: some slices of a study, from the data files to a solution. A run in one piece has one,
// with all slices.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/slice_range.h"
#include "prep/load_study.h"
#include "run/store/checkpoint.h"
#include "solve/solver.h"

namespace firm {

// What all chunks of a run have in common.
struct ChunkInput {
  EstimatedStudy study;
  std::string path;   // of the study
  std::string truth;  // file; empty: none
  SolveOptions options;
};

class ChunkRun {
 public:
  // Reads the data. Throws firm::Error.
  ChunkRun(const ChunkInput& input, const SliceRange& slices);

  // What the result belongs to.
  const std::string& identity() const { return identity_; }
  const std::vector<std::string>& fingerprints() const { return fingerprints_; }
  // Of the preparation of each site.
  const std::vector<PreparationReport>& reports() const { return loaded_.reports; }

  // Makes a solver, which goes on from the checkpoint where one is named. Throws firm::Error.
  void prepare(const std::string& checkpoint, const Observer& observer);
  // Rounds that are done, according to the checkpoint.
  int rounds() const { return checkpoint_ ? checkpoint_->round() : 0; }
  // Of the images, from `prepare` on.
  const std::vector<Variable>& variables() const { return variables_; }

  // What is solved, from `prepare` on.
  const Problem& problem() const { return *problem_; }

  // Does the work; gives back all memory but the solution's.
  Solution solve();

 private:
  const ChunkInput& input_;
  SliceRange slices_;
  LoadedStudy loaded_;
  std::vector<std::string> fingerprints_;
  std::string identity_;
  std::unique_ptr<Problem> problem_;
  std::vector<Variable> variables_;
  std::optional<Block> truth_;
  std::optional<Checkpoint> checkpoint_;
  LocalCollective collective_;
  std::unique_ptr<Solver> solver_;
};

}  // namespace firm
