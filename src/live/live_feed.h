// LiveFeed: what pages get to know of a run, made once for all of them: four times a second at
// first, once a second later.
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
  // `interval` between looks at the run.
  explicit LiveFeed(LiveRun& run, std::chrono::milliseconds interval = kInterval);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  // The run as it is now: JSON. `cursor` is where its events go on.
  std::string document(std::uint64_t* cursor = nullptr);

  struct Events {
    std::string text;   // in the format of server-sent events
    bool last = false;  // there are no more
  };
  // Those after `cursor`, which goes on; waits for some, up to `patience`. A reader that is too
  // slow gets the document again.
  Events wait(std::uint64_t& cursor, std::chrono::milliseconds patience);

  // Makes what is new known at once.
  void publish();
  // Ends waiting.
  void close();

  std::string metrics();

 private:
  static constexpr std::chrono::milliseconds kInterval{250};

  struct Event {
    std::uint64_t number;
    std::string text;
  };

  void update();
  // Events of an update, for who looks.
  void tell(bool anew, const RunCurves& fresh);
  void begin_anew();
  // Points of the rounds that are new, for curves of all and for those of an event.
  void take_rounds(RunCurves& fresh);
  void push(const char* name, const std::string& json);
  std::string document_now() const;

  LiveRun& run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  LiveRun::News news_;
  LiveFacts facts_;
  nlohmann::ordered_json status_;  // as pages have it
  std::string last_status_;        // as it was sent, but for times
  double status_sent_ = -1;        // seconds of the run
  RunCurves curves_;
  ContinuedRounds continued_;
  std::vector<double> last_;  // values of the last round
  std::uint64_t images_ = 0;
  std::deque<Event> events_;
  std::uint64_t numbers_ = 0;
  bool ended_ = false;
  bool closed_ = false;
  std::jthread thread_;
};

}  // namespace firm
