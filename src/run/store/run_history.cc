#include "run/store/run_history.h"

#include "run/store/run_json.h"

namespace firm {
namespace {

constexpr double kFlushSeconds = 0.5;

}  // namespace

RunHistory::RunHistory(RunDirectory& directory, const RunCallbacks& callbacks, const Size& size)
    : directory_(directory), callbacks_(callbacks), size_(size) {}

void RunHistory::add(const Shard& shard, const std::vector<Variable>& variables,
                     const RoundRecord& record, int limit) {
  const std::lock_guard lock(mutex_);
  round_.add(shard, variables, record);
  if (++arrived_ < size_.shards) return;
  records_.push_back(record);
  write_line(limit);
  round_ = {};
  arrived_ = 0;
}

void RunHistory::write_line(int limit) {
  RoundRecord record = round_.record(records_.back());
  if (!size_.alone) record.error.reset();  // it is the error over all images
  const std::string line = history_line(record, round_.names(), size_.stage);
  directory_.append_history(line);
  if (size_.stage) lines_ += line + "\n";
  if (watch_.seconds() >= next_flush_) {
    flush();
    next_flush_ = watch_.seconds() + kFlushSeconds;
  }
  if (callbacks_.on_round) callbacks_.on_round(record, limit, line);
}

void RunHistory::complete(const std::vector<ShardResult>& results, int first) {
  flush();
  if (size_.alone) return;
  directory_.open_history(first);
  for (std::size_t k = 0; k < records_.size(); ++k) {
    MergedRound round;
    for (const ShardResult& r : results) round.add(r.shard, r.variables, r.rounds.at(k));
    directory_.append_history(history_line(round.record(records_[k]), round.names()));
  }
  flush();
}

}  // namespace firm
