// SiteWork: what a site of a federation computes and keeps, whatever connects it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/timing.h"
#include "federation/transport/remote_exchange.h"
#include "federation/protocol/terms.h"
#include "io/files/directory_lock.h"
#include "prep/estimate_unknowns.h"
#include "run/store/checkpoint.h"
#include "run/store/run_directory.h"
#include "run/store/run_json.h"
#include "run/store/site_checkpoints.h"
#include "service/site_run.h"

namespace firm {

// Thrown to leave a run that the user has interrupted.
struct SiteInterrupted {};

// The checkpoint that an attempt begins from is not of this run; it has been set aside.
class CheckpointUnusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SiteWork {
 public:
  // Reads study and data; an earlier run in arguments.out is gone on with. Throws firm::Error.
  SiteWork(const SiteArguments& arguments, const SiteCallbacks& callbacks);

  const RunDirectory& directory() const { return directory_; }
  const std::vector<v1::Term>& terms() const { return terms_; }
  // Fingerprints of the keys of sites, of those that the study names.
  std::map<std::string, std::string> keys() const;

  // What the site tells about itself: study, rays, and what it can go on from.
  v1::SiteMessage hello() const;

  // Makes ready for an attempt. Throws firm::Error when study and members do not fit together, and
  // CheckpointUnusable.
  void begin(const v1::Begin& begin);
  // Of the sums before the checkpoint that the attempt begins from.
  const SumChain& totals() const { return totals_; }
  // Computes, and writes the results.
  Summary solve(RemoteExchange& exchange, const v1::Begin& begin, const Ledger& ledger);
  // What a site that publishes its images sends, message by message, once it has results.
  void each_image_message(const std::function<void(const v1::SiteMessage&)>& send) const;
  // That its results of the run are complete.
  v1::SiteMessage done_message() const;
  // Whether the results of its run are complete.
  bool done() const { return state_.done; }
  bool has_results_of(const std::string& run) const { return state_.done && state_.run == run; }
  // Makes the summary tell all that has left the site; not that of a run that is finished.
  void note_sent(const Ledger& ledger) const;
  // All sites have their results: no other needs this one any more.
  void finish(const Ledger& ledger);

 private:
  // What is kept about the run besides its checkpoints.
  struct State {
    std::string run;
    bool done = false;      // its results are complete
    bool finished = false;  // those of all sites are
  };

  void read_state();
  void keep_state() const;
  void open_checkpoint(std::uint64_t round);
  void keep_round(const RoundRecord& record, int limit);
  void write_results(const Solution& solution, const Ledger& ledger);
  void count_sent(const Ledger& ledger);

  const SiteArguments& arguments_;
  const SiteCallbacks& callbacks_;
  StudyFile file_;
  SolveOptions options_;
  std::vector<v1::Term> terms_;
  PreparedSite prepared_;
  StudyFile resolved_;
  RunDirectory directory_;
  DirectoryLock lock_;
  SiteCheckpoints checkpoints_;
  State state_;
  std::unique_ptr<Problem> problem_;
  std::optional<Block> truth_;
  std::vector<std::string> names_;
  RunFacts facts_;
  std::string identity_;
  std::optional<Checkpoint> checkpoint_;  // to go on from
  SumChain totals_;                       // in it
  Stopwatch watch_;
  double next_flush_ = 0;
};

}  // namespace firm
