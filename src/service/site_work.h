// SiteWork: the computing half of a site of a federation, whatever connects it: one shard, whose
// sums come from the others, and the files it keeps.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/timing.h"
#include "federation/protocol/terms.h"
#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/remote_exchange.h"
#include "io/files/directory_lock.h"
#include "prep/study_data.h"
#include "run/shard/shard_solver.h"
#include "run/store/checkpoint.h"
#include "run/store/checkpoints.h"
#include "run/store/run_directory.h"
#include "run/store/run_history.h"
#include "run/store/run_json.h"
#include "service/site_refinement.h"
#include "service/site_run.h"

namespace firm {

// Thrown to leave a run that the user has interrupted.
struct SiteInterrupted {};

// The checkpoint that an attempt starts from is damaged or of another run; it has been renamed.
class CheckpointUnusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SiteWork {
 public:
  // Reads study and data; resumes an earlier run found in arguments.out. Throws firm::Error.
  SiteWork(const SiteArguments& arguments, const SiteCallbacks& callbacks);

  const RunDirectory& directory() const { return directory_; }
  const std::vector<v1::Term>& terms() const { return terms_; }
  // Fingerprints of the keys of those sites for which the study names one.
  std::map<std::string, std::string> keys() const;
  // Says which sites the study names no key for; empty: none.
  std::string warn_keys() const;

  // The first message: study, rays, and the rounds that the site can resume from.
  v1::SiteMessage hello();

  // Prepares for an attempt, and notes on disk that it has begun. Throws WrongBegin if it does not
  // fit the last hello(), firm::Error when study and members do not fit together, and
  // CheckpointUnusable.
  void begin(const v1::Begin& begin);
  // Digest of the sums before the checkpoint that the attempt starts from.
  const SumChain& totals() const { return totals_; }
  // Computes and writes the results.
  Summary solve(RemoteExchange& exchange, const v1::Begin& begin, const Ledger& ledger);
  // Hands over the images as messages, for a site that publishes them, once it has results.
  void each_image_message(const std::function<void(const v1::SiteMessage&)>& send) const;
  // Says that its results of the run are complete.
  v1::SiteMessage done_message() const;
  // Whether the results of its run are complete.
  bool done() const { return state_.done; }
  bool has_results_of(const std::string& run) const { return state_.done && state_.run == run; }
  // Puts the traffic of the whole ledger into the summary, unless the run is finished.
  void note_sent(const Ledger& ledger) const;
  // Call when all sites have their results: no other needs this one any more.
  void finish(const Ledger& ledger);

 private:
  // The state of the run beside its checkpoints.
  struct State {
    std::string run;
    std::uint32_t attempt = 0;  // the last one; no smaller one may follow
    bool done = false;          // its results are complete
    bool finished = false;      // the results of all sites are complete
  };

  void read_state();
  void keep_state() const;
  void report_preparation(const PreparationReport& report);
  // Refines the study together with the other sites, and makes the solver of the refined one.
  void refine(RemoteExchange& exchange);
  void write_studies();
  void warn_about_fit(const Summary& summary);
  void use(std::unique_ptr<ShardSolver> solver);
  void open_checkpoint(std::uint64_t round);
  ShardSolver::Start solver_start(RemoteExchange& exchange, FixedPointCollective& collective,
                                  const v1::Begin& begin, const Ledger& ledger,
                                  RunHistory& history);
  void write_results(const Solution& solution, const Ledger& ledger);
  void count_sent(const Ledger& ledger);

  const SiteArguments& arguments_;
  const SiteCallbacks& callbacks_;
  StudyData data_;
  SolveOptions options_;
  std::vector<v1::Term> terms_;
  SiteRefinement refinement_;
  PreparedSite prepared_;  // before a refinement
  StudyFile resolved_;
  RunDirectory directory_;
  DirectoryLock lock_;
  Checkpoints checkpoints_;
  State state_;
  v1::Hello hello_;                      // the last one
  Study study_;                          // of the attempt, before a refinement
  std::string identity_;                 // of that study, for checkpoints
  std::unique_ptr<ShardSolver> solver_;  // kept from attempt to attempt while the study is the same
  std::optional<Refinement> refined_;
  StudyFile refined_file_;
  std::vector<Site> refined_sites_;
  std::vector<std::string> data_lines_;  // about the data that is solved, for people
  std::vector<std::string> names_;
  RunFacts facts_;
  std::unique_ptr<Checkpoint> checkpoint_;  // to resume from
  SumChain totals_;                         // in it
};

}  // namespace firm
