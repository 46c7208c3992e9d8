// LiveRun: the state of a running reconstruction, shared by the thread that computes and the
// threads that show it. The run reports its progress here, which costs it almost nothing, and finds
// out here whether it should pause or stop. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/timing.h"
#include "live/live_images.h"
#include "live/live_status.h"
#include "report/page/run_curves.h"
#include "run/remaining_time.h"

namespace firm {

// Facts that do not change between the start of a run and its end.
struct LiveFacts {
  std::string kind = {};                // recon, site, coordinator
  nlohmann::ordered_json study = {};    // null for a coordinator, whose page shows none
  nlohmann::ordered_json summary = {};  // study, version, method, options
  std::vector<CurveName> curves = {};   // names of the values of a round
  std::string history = {};             // lines of history.jsonl before this start
  std::size_t chunk = 0;
  std::size_t chunks = 1;
  // For each chunk so far; empty without the discrepancy rule.
  std::vector<SiteTargets> residual_targets = {};
};

struct LiveRound {
  long round = 0;
  double seconds = 0;
  std::vector<double> values;  // in the order of LiveFacts::curves; not finite if unknown
};

class LiveRun {
 public:
  explicit LiveRun(std::string kind);

  // ---- called by the run to report ----
  // Called for every chunk and for every attempt of a federation. Keeps the kind.
  void start(LiveFacts facts);
  // Keys of the summary that become known after a start and before its first round.
  void add_to_summary(const nlohmann::ordered_json& keys);
  void set_state(const std::string& state, const std::string& stage = "");
  void add_message(const std::string& text);
  // `left`, if known, counts down until the next round.
  void add_round(int limit, LiveRound round, const std::optional<TimeLeft>& left = {});
  void set_sites(std::vector<LiveSite> sites);
  void set_sums(std::uint64_t sums, std::uint32_t attempt);
  void set_sent(std::map<std::string, LiveTraffic> sent);
  LiveImages& images() { return images_; }
  // Must be the last report; `document` is empty if there is none.
  void end(const std::string& state, const std::string& stage, std::string document);

  // ---- called by the run to ask ----
  // Seconds since the start, without pauses.
  double worked() const;
  // Seconds of all pauses until now.
  double paused_seconds() const;
  bool stop_requested() const { return stop_; }
  // Whether to wait between two rounds. A pause request turns the state into "pausing"; this call
  // turns it into "paused".
  bool hold();
  // Returns when the run may continue or `interrupted` returns true, which ends a pause. Calls
  // `tell` with lines for people: "paused", "resumed".
  void wait_while_paused(const std::function<bool()>& interrupted,
                         const std::function<void(const std::string&)>& tell);
  // Whether a page is open and it is time for newer images.
  bool wants_images() const;

  // ---- called by the server ----
  // These two return false when the run is over.
  bool request_stop();
  bool set_paused(bool on);
  void add_watcher(int count) { watchers_ += count; }
  int watchers() const { return watchers_; }

  struct Update {
    std::uint64_t starts = 0;       // how often the facts have changed
    std::vector<LiveRound> rounds;  // since the previous update
    LiveStatus status;
    bool ended = false;
  };
  // Returns the changes since the previous call.
  Update take_update();
  LiveFacts facts() const;
  // The document of a run that has ended; empty if there is none.
  std::string document() const;

 private:
  double paused_now() const;
  double worked_now() const;

  mutable std::mutex mutex_;
  Stopwatch watch_;
  LiveStatus status_;
  LiveFacts facts_;
  std::uint64_t starts_ = 0;
  std::vector<LiveRound> rounds_;
  std::string document_;
  bool ended_ = false;
  bool paused_ = false;
  bool held_ = false;
  double held_since_ = 0;
  double pauses_ = 0;  // seconds of all finished pauses
  std::optional<TimeLeft> left_;
  double left_at_ = 0;  // worked() when `left_` was estimated
  LiveImages images_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> watchers_ = 0;
  mutable std::atomic<double> next_images_ = 0;
};

}  // namespace firm
