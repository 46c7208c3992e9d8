// ShardSolver: takes a shard from its data to a solution, with any kind of Collective.
//
// Every run takes the same steps: construct it with the data, build() the problem, start() a
// solver, which resumes from a checkpoint if given, and solve().
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/shard/shard.h"
#include "run/store/checkpoint.h"
#include "solve/absorption/self_absorption.h"
#include "solve/solver.h"

namespace firm {

class ShardSolver {
 public:
  // `study` describes all sites and has the slices of the shard; `data` is that of the shard's
  // sites, for these slices.
  ShardSolver(Shard shard, Study study, std::vector<SiteData> data, SolveOptions options);

  const Shard& shard() const { return shard_; }
  // Returns the identity of a checkpoint or result: study, data, options.
  const std::string& identity() const { return identity_; }
  // SHA-256 of the data of each site of the study; empty for sites elsewhere.
  const std::vector<std::string>& fingerprints() const { return fingerprints_; }

  // True images to compare with: a file (empty: none), and the number of slices in it.
  struct Truth {
    std::string file;
    std::size_t all_slices = 0;
  };
  // Makes the problem, which has its own copy of the data. Throws firm::Error, also when the study
  // does not fulfil what the method asks for.
  // `most_absorption`: bytes that T of self-absorption may hold; 0: no limit.
  void build(const Truth& truth, int threads, std::size_t most_absorption = 0);
  const Problem& problem() const { return *problem_; }
  // Variables of the images; valid after build().
  const std::vector<Variable>& variables() const { return variables_; }

  struct Start {
    Collective& collective;
    Checkpoint* checkpoint = nullptr;  // to resume from
    // Further state that checkpoints keep (the scales of sums); may be empty.
    std::function<void(Archive&)> more_state = {};
    Observer observer = {};
    // Called before every round with the state; `ending`: this round is the last. With
    // self-absorption, `round` counts those of the search for T first (rounds_at).
    std::function<void(int round, bool ending, const std::function<void(Archive&)>& state)>
        on_state = {};
  };
  // Makes the solver, after T of self-absorption has been found. Throws firm::Error when the method
  // cannot solve the study.
  void start(const Start& start);
  // Runs the solver. Call once after each start().
  Solution solve();
  // Rounds of the solver that are done at a checkpoint of this number.
  int rounds_at(int checkpoint) const;
  // Frees the problem and everything made from it.
  void release();

 private:
  bool absorbs() const;
  bool find_absorption(const Start& start);

  Shard shard_;
  Study study_;
  std::vector<SiteData> data_;  // until build()
  SolveOptions options_;
  std::vector<std::string> fingerprints_;
  std::string identity_;
  int search_rounds_ = 0;  // that number the checkpoints before those of the solver
  std::unique_ptr<SelfAbsorption> absorption_;  // null: none
  std::unique_ptr<Problem> problem_;
  std::vector<Variable> variables_;
  std::optional<Block> truth_;
  std::unique_ptr<Solver> solver_;
};

}  // namespace firm
