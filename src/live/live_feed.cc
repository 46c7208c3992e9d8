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
constexpr std::size_t kMostNewPoints = 40;  // of one event
constexpr std::size_t kEvents = 100;        // ten seconds, at least
constexpr double kLivelySeconds = 10;
constexpr int kCalm = 4;
constexpr double kTimesSeconds = 0.9;  // less than from one look to the next

// Texts of a run may hold bytes that are no UTF-8.
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
      // Whoever has begun a run wants to see it go; later, every event costs more than it tells.
      const bool lively = news_.status.seconds < kLivelySeconds;
      changed_.wait_for(lock, lively ? interval : kCalm * interval, [this] { return closed_; });
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
  events_.push_back({++numbers_, fmt::format("event: {}\ndata: {}\n\n", name, json)});
  if (events_.size() > kEvents) events_.pop_front();
  changed_.notify_all();
}

void LiveFeed::begin_anew() {
  facts_ = run_.facts();
  curves_ = RunCurves(kMostPoints);
  continued_ = {};
  last_.clear();
  std::istringstream in(facts_.history);
  for (std::string text; std::getline(in, text);) {
    Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) break;
    continued_.apply(line);
    curves_.add(line);
  }
  continued_.begin(static_cast<int>(facts_.chunk));
}

void LiveFeed::take_rounds(RunCurves& fresh) {
  for (LiveRound& r : news_.rounds) {
    continued_.apply(static_cast<int>(facts_.chunk), r.round, r.seconds);
    for (std::size_t k = 0; k < r.values.size(); ++k) {
      if (!std::isfinite(r.values[k])) continue;
      for (RunCurves* curves : {&curves_, &fresh}) {
        curves->add(curves->find(facts_.curves[k]), r.round, r.seconds, r.values[k]);
      }
    }
    last_ = r.values;
  }
}

void LiveFeed::update() {
  if (ended_) return;
  const std::uint64_t starts = news_.starts;
  news_ = run_.news();
  const bool anew = news_.starts != starts;
  if (anew) begin_anew();
  RunCurves fresh(kMostNewPoints);
  take_rounds(fresh);
  ended_ = news_.ended;
  if (ended_) changed_.notify_all();
  status_ = status_json(news_.status);
  if (run_.watchers() > 0) tell(anew, fresh);
}

void LiveFeed::tell(bool anew, const RunCurves& fresh) {
  // Times alone are told about once a second.
  Json without = status_;
  without.erase("seconds");
  without.erase("remaining");
  const std::string now = text_of(without);
  const double seconds = news_.status.seconds;
  if (anew) {
    push("document", document_now());
  } else if (!news_.rounds.empty()) {
    push("rounds", text_of({{"curves", fresh.json()}}));
  }
  if (!anew && (now != last_status_ || seconds >= status_sent_ + kTimesSeconds)) {
    push("status", text_of(status_));
    status_sent_ = seconds;
  }
  last_status_ = now;
  if (news_.status.images != images_) {
    images_ = news_.status.images;
    push("images", text_of({{"version", images_}}));
  }
}

std::string LiveFeed::document_now() const {
  const std::string live = text_of(status_);
  // That of a run that has ended begins with '{', and has no part `live`.
  if (const std::string whole = ended_ ? run_.document() : ""; !whole.empty()) {
    return fmt::format("{{\"live\":{},{}", live, std::string_view(whole).substr(1));
  }
  Json document = {{"format", "firm-report"}, {"version", 1},    {"program", kVersion},
                   {"kind", facts_.kind},     {"live", status_}, {"summary", facts_.summary}};
  if (document["summary"].is_null()) document["summary"] = {{"study", ""}, {"version", kVersion}};
  document["summary"]["seconds"] = news_.status.seconds;
  if (!facts_.study.is_null()) document["study"] = facts_.study;
  document["curves"] = curves_.json();
  if (!facts_.levels.empty()) {
    document["levels"] = levels_json(continued_.starts(), facts_.levels);
  }
  return text_of(document);
}

std::string LiveFeed::document(std::uint64_t* cursor) {
  const std::lock_guard lock(mutex_);
  if (cursor != nullptr) *cursor = numbers_;
  return document_now();
}

LiveFeed::Events LiveFeed::wait(std::uint64_t& cursor, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return closed_ || ended_ || numbers_ > cursor; });
  Events events;
  if (!events_.empty() && events_.front().number > cursor + 1) {
    events.text = fmt::format("event: document\ndata: {}\n\n", document_now());
  } else {
    for (const Event& event : events_) {
      if (event.number > cursor) events.text += event.text;
    }
  }
  cursor = numbers_;
  if (ended_) events.text += "event: end\ndata: {}\n\n";
  events.last = closed_ || ended_;
  return events;
}

std::string LiveFeed::metrics() {
  const std::lock_guard lock(mutex_);
  return metrics_text(facts_, news_.status, last_);
}

}  // namespace firm
