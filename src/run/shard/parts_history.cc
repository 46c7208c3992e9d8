#include "run/shard/parts_history.h"

#include "run/store/run_json.h"

namespace firm {
namespace {

constexpr double kFlushSeconds = 0.5;

}  // namespace

PartsHistory::PartsHistory(RunDirectory& directory, const RunCallbacks& callbacks,
                           std::size_t parts, bool alone)
    : directory_(directory), callbacks_(callbacks), parts_(parts), alone_(alone) {}

void PartsHistory::open(int round) {
  first_round_ = round;
  directory_.open_history(round);
}

void PartsHistory::keep(const Part& part, const std::vector<Variable>& variables,
                        const RoundRecord& record, int limit) {
  const std::lock_guard lock(mutex_);
  round_.add(part, variables, record);
  if (++arrived_ < parts_) return;
  records_.push_back(record);
  write_line(limit);
  round_ = {};
  arrived_ = 0;
}

void PartsHistory::write_line(int limit) {
  RoundRecord record = round_.record(records_.back());
  if (!alone_) record.error.reset();  // of all images
  const std::string line = history_line(record, round_.names());
  directory_.append_history(line);
  if (watch_.seconds() >= next_flush_) {
    directory_.flush_history();
    next_flush_ = watch_.seconds() + kFlushSeconds;
  }
  if (callbacks_.on_round) callbacks_.on_round(record, limit, line);
}

void PartsHistory::complete(const std::vector<PartResult>& results) {
  directory_.flush_history();
  if (alone_) return;
  directory_.open_history(first_round_);
  for (std::size_t k = 0; k < records_.size(); ++k) {
    const JoinedRound round = join_round(results, k);
    directory_.append_history(history_line(round.record(records_[k]), round.names()));
  }
  directory_.flush_history();
}

}  // namespace firm
