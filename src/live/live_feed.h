// LiveFeed: makes the events that pages receive about a run, once for all pages: four times a
// second during the first seconds, once a second later.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "live/live_run.h"
#include "report/page/run_curves.h"

namespace firm {

class LiveFeed {
 public:
  // `interval` is the time between two updates at the start of the run.
  explicit LiveFeed(LiveRun& run, std::chrono::milliseconds interval = kInterval);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  // The current document of the run, as JSON. Sets `cursor` to the position of the next event.
  std::string document(std::uint64_t* cursor = nullptr);

  struct Events {
    std::string text;   // in the format of server-sent events
    bool last = false;  // no more events will follow
  };
  // Returns the events after `cursor` and advances it. Waits for events up to `timeout`. A reader
  // that is too slow gets the whole document again.
  Events wait(std::uint64_t& cursor, std::chrono::milliseconds timeout);

  // Makes events for all changes at once.
  void publish();
  // Ends all calls of wait().
  void close();

  std::string metrics();

 private:
  static constexpr std::chrono::milliseconds kInterval{250};

  struct Event {
    std::uint64_t number;
    std::string text;
  };

  void update();
  // Makes the events of an update. `restarted`: the run has started again.
  void push_events(bool restarted, const RunCurves& new_points);
  // Reads facts and history after a start of the run.
  void restart();
  // Appends the new rounds to all curves and to the points of the next event.
  void append_rounds(RunCurves& new_points);
  void push(const char* name, const std::string& json);
  std::string document_now() const;

  LiveRun& run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  LiveRun::Update update_;
  LiveFacts facts_;
  nlohmann::ordered_json status_;  // `live` of the document
  std::string last_status_;        // as last sent, without times
  double status_sent_ = -1;        // when, in seconds of the run
  RunCurves curves_;
  ChunkTimeline timeline_;
  std::vector<double> last_values_;  // of the last round
  std::uint64_t images_ = 0;         // version of the images last announced
  std::deque<Event> events_;
  std::uint64_t last_event_ = 0;  // number of the newest event
  bool ended_ = false;
  bool closed_ = false;
  std::jthread thread_;
};

}  // namespace firm
