// LiveRun: a run as it goes on, between the thread that computes and those that show it. What the
// run tells costs it next to nothing; what it is asked for, it finds out here.
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

// What is known of a run from its start on.
struct LiveFacts {
  std::string kind = {};                // recon, site, coordinator
  nlohmann::ordered_json study = {};    // null: a coordinator's page shows none
  nlohmann::ordered_json summary = {};  // study, version, method, options
  std::vector<CurveName> curves = {};   // that its rounds have values of
  std::string history = {};             // lines of the rounds that are done
  std::size_t chunk = 0;
  std::size_t chunks = 1;
  std::vector<SiteLevels> levels = {};  // of the chunks so far; empty: no rule asks for them
};

struct LiveRound {
  long round = 0;
  double seconds = 0;
  std::vector<double> values;  // of LiveFacts::curves; what is not known is not finite
};

class LiveRun {
 public:
  explicit LiveRun(std::string kind);

  // ---- the run tells -----
  // Again for every chunk, and when an attempt of a federation begins anew. The kind stays.
  void start(LiveFacts facts);
  void set_state(const std::string& state, const std::string& stage = "");
  void add_message(const std::string& text);
  // `left`, where it is known, counts down until the next round.
  void add_round(int limit, LiveRound round, const std::optional<TimeLeft>& left = {});
  void set_sites(std::vector<LiveSite> sites);
  void set_sums(std::uint64_t sums, std::uint32_t attempt);
  void set_sent(std::map<std::string, LiveTraffic> sent);
  LiveImages& images() { return images_; }
  // The last it tells; `document` may be empty.
  void end(const std::string& state, const std::string& stage, std::string document);

  // ---- the run asks -----
  // Seconds since the start, without pauses.
  double worked() const;
  bool stop_requested() const { return stop_; }
  // Between two rounds: whether to wait there. Until it is asked, the run is "pausing".
  bool hold();
  // Returns when the run may go on, or `interrupted` says that it is to end.
  void wait_while_paused(const std::function<bool()>& interrupted);
  // Whether somebody looks, and it is time for newer images.
  bool wants_images() const;

  // ---- the server asks -----
  // False when the run is over.
  bool request_stop();
  bool set_paused(bool on);
  void add_watcher(int count) { watchers_ += count; }
  int watchers() const { return watchers_; }

  struct News {
    std::uint64_t starts = 0;       // how often `start` was called
    std::vector<LiveRound> rounds;  // since the last news
    LiveStatus status;
    bool ended = false;
  };
  // Since the last call.
  News news();
  LiveFacts facts() const;
  // Of a run that has ended; empty: there is none.
  std::string document() const;

 private:
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
  double pauses_ = 0;  // that are over, in seconds
  std::optional<TimeLeft> left_;
  double left_at_ = 0;  // seconds worked
  LiveImages images_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> watchers_ = 0;
  mutable std::atomic<double> next_images_ = 0;
};

}  // namespace firm
