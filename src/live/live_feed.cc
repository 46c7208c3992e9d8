#include "live/live_feed.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "firm/version.h"
#include "live/metrics.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 2000;
constexpr std::size_t kMostNewPoints = 40;  // in one event
constexpr std::size_t kEvents = 100;        // lasts ten seconds at least
// After the first seconds, updates are kSlowFactor times less frequent.
constexpr double kFastSeconds = 10;
constexpr int kSlowFactor = 4;
constexpr double kTimesSeconds = 0.9;  // slightly less than the slow interval

// Replaces bytes that are not UTF-8, which texts of a run may hold.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

LiveFeed::LiveFeed(LiveRun& run, std::chrono::milliseconds interval)
    : run_(run), curves_(kMostPoints) {
  update();
  thread_ = std::jthread([this, interval] {
    std::unique_lock lock(mutex_);
    while (!closed_) {
      // Users who have just started a run want to see it move; later, frequent events are not worth
      // their cost.
      const bool fast = update_.status.seconds < kFastSeconds;
      changed_.wait_for(lock, fast ? interval : kSlowFactor * interval, [this] { return closed_; });
      if (!closed_) update();
    }
  });
}

LiveFeed::~LiveFeed() { close(); }

void LiveFeed::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

void LiveFeed::publish() {
  const std::lock_guard lock(mutex_);
  update();
}

void LiveFeed::push(const char* name, const std::string& json) {
  events_.push_back({++last_event_, fmt::format("event: {}\ndata: {}\n\n", name, json)});
  if (events_.size() > kEvents) events_.pop_front();
  changed_.notify_all();
}

void LiveFeed::restart() {
  facts_ = run_.facts();
  curves_ = RunCurves(kMostPoints);
  timeline_ = {};
  last_values_.clear();
  std::istringstream in(facts_.history);
  for (std::string text; std::getline(in, text);) {
    Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) break;
    timeline_.apply(line);
    curves_.add(line);
  }
  timeline_.start_chunk(static_cast<int>(facts_.chunk));
}

void LiveFeed::append_rounds(RunCurves& new_points) {
  for (LiveRound& r : update_.rounds) {
    timeline_.apply(static_cast<int>(facts_.chunk), r.round, r.seconds);
    for (std::size_t k = 0; k < r.values.size(); ++k) {
      if (!std::isfinite(r.values[k])) continue;
      for (RunCurves* curves : {&curves_, &new_points}) {
        curves->add(curves->find(facts_.curves[k]), r.round, r.seconds, r.values[k]);
      }
    }
    last_values_ = r.values;
  }
}

void LiveFeed::update() {
  if (ended_) return;
  const std::uint64_t starts = update_.starts;
  update_ = run_.take_update();
  const bool restarted = update_.starts != starts;
  if (restarted) restart();
  RunCurves new_points(kMostNewPoints);
  append_rounds(new_points);
  ended_ = update_.ended;
  if (ended_) changed_.notify_all();
  status_ = status_json(update_.status);
  if (run_.watchers() > 0) push_events(restarted, new_points);
}

void LiveFeed::push_events(bool restarted, const RunCurves& new_points) {
  // A status in which only times have changed is sent about once a second.
  Json without_times = status_;
  without_times.erase("seconds");
  without_times.erase("remaining");
  const std::string now = text_of(without_times);
  const double seconds = update_.status.seconds;
  if (restarted) {
    push("document", document_now());
  } else if (!update_.rounds.empty()) {
    push("rounds", text_of({{"curves", new_points.json()}}));
  }
  if (!restarted && (now != last_status_ || seconds >= status_sent_ + kTimesSeconds)) {
    push("status", text_of(status_));
    status_sent_ = seconds;
  }
  last_status_ = now;
  if (update_.status.images != images_) {
    images_ = update_.status.images;
    push("images", text_of({{"version", images_}}));
  }
}

std::string LiveFeed::document_now() const {
  const std::string live = text_of(status_);
  // The final document starts with '{' and has no `live`: insert it as text.
  if (const std::string whole = ended_ ? run_.document() : ""; !whole.empty()) {
    return fmt::format("{{\"live\":{},{}", live, std::string_view(whole).substr(1));
  }
  Json document = {{"format", "firm-report"}, {"version", 1},    {"program", kVersion},
                   {"kind", facts_.kind},     {"live", status_}, {"summary", facts_.summary}};
  if (document["summary"].is_null()) document["summary"] = {{"study", ""}, {"version", kVersion}};
  document["summary"]["seconds"] = update_.status.seconds;
  if (!facts_.study.is_null()) document["study"] = facts_.study;
  document["curves"] = curves_.json();
  if (!facts_.residual_targets.empty()) {
    document["levels"] = residual_targets_json(timeline_.starts(), facts_.residual_targets);
  }
  return text_of(document);
}

std::string LiveFeed::document(std::uint64_t* cursor) {
  const std::lock_guard lock(mutex_);
  if (cursor != nullptr) *cursor = last_event_;
  return document_now();
}

LiveFeed::Events LiveFeed::wait(std::uint64_t& cursor, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout, [&] { return closed_ || ended_ || last_event_ > cursor; });
  Events events;
  if (!events_.empty() && events_.front().number > cursor + 1) {
    events.text = fmt::format("event: document\ndata: {}\n\n", document_now());
  } else {
    for (const Event& event : events_) {
      if (event.number > cursor) events.text += event.text;
    }
  }
  cursor = last_event_;
  if (ended_) events.text += "event: end\ndata: {}\n\n";
  events.last = closed_ || ended_;
  return events;
}

std::string LiveFeed::metrics() {
  const std::lock_guard lock(mutex_);
  return metrics_text(facts_, update_.status, last_values_);
}

}  // namespace firm
