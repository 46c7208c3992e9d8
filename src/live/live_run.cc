#include "live/live_run.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace firm {
namespace {

constexpr std::size_t kMessages = 50;
constexpr std::size_t kWarnings = 50;
constexpr double kImageInterval = 1;  // seconds, at least
// Images that cost one second are this many seconds apart, so that they slow down a run very
// little.
constexpr double kImageIntervalPerCost = 400;

// Returns the text of a message "warning: TEXT", or "SITE: TEXT" of "SITE: warning: TEXT"; empty if
// the message is no warning.
std::string warning_in(const std::string& message) {
  constexpr std::string_view kWord = "warning: ";
  if (message.starts_with(kWord)) return message.substr(kWord.size());
  const std::size_t colon = message.find(": ");
  if (colon == std::string::npos || !message.substr(colon + 2).starts_with(kWord)) return "";
  return message.substr(0, colon + 2) + message.substr(colon + 2 + kWord.size());
}

}  // namespace

LiveRun::LiveRun(std::string kind) { facts_.kind = std::move(kind); }

void LiveRun::start(LiveFacts facts) {
  const std::lock_guard lock(mutex_);
  facts.kind = facts_.kind;
  facts_ = std::move(facts);
  rounds_.clear();
  status_.chunk = facts_.chunk;
  status_.chunks = facts_.chunks;
  status_.state = "computing";
  status_.stage.clear();
  ++starts_;
}

void LiveRun::add_to_summary(const nlohmann::ordered_json& keys) {
  const std::lock_guard lock(mutex_);
  facts_.summary.update(keys);
  ++starts_;
}

LiveFacts LiveRun::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

void LiveRun::set_state(const std::string& state, const std::string& stage) {
  const std::lock_guard lock(mutex_);
  status_.state = state;
  status_.stage = stage;
  if (state == "writing") left_ = {0, false, 1};
}

void LiveRun::add_message(const std::string& text) {
  const std::lock_guard lock(mutex_);
  status_.messages.push_back({watch_.seconds(), text});
  if (status_.messages.size() > kMessages) status_.messages.pop_front();
  const std::string warning = warning_in(text);
  std::vector<std::string>& known = status_.warnings;
  if (warning.empty() || known.size() == kWarnings) return;
  // Each chunk of slices repeats the warnings of its sites.
  if (std::find(known.begin(), known.end(), warning) == known.end()) known.push_back(warning);
}

void LiveRun::add_round(int limit, LiveRound round, const std::optional<TimeLeft>& left) {
  const std::lock_guard lock(mutex_);
  status_.round = static_cast<int>(round.round);
  status_.limit = limit;
  left_ = left;
  left_at_ = worked_now();
  rounds_.push_back(std::move(round));
}

void LiveRun::set_sites(std::vector<LiveSite> sites) {
  const std::lock_guard lock(mutex_);
  status_.sites = std::move(sites);
}

void LiveRun::set_sums(std::uint64_t sums, std::uint32_t attempt) {
  const std::lock_guard lock(mutex_);
  status_.sums = sums;
  status_.attempt = attempt;
}

void LiveRun::set_sent(std::map<std::string, LiveTraffic> sent) {
  const std::lock_guard lock(mutex_);
  status_.sent = std::move(sent);
}

void LiveRun::end(const std::string& state, const std::string& stage, std::string document) {
  const std::lock_guard lock(mutex_);
  status_.state = state;
  status_.stage = stage;
  left_.reset();
  status_.control = false;
  document_ = std::move(document);
  ended_ = true;
}

bool LiveRun::hold() {
  const std::lock_guard lock(mutex_);
  const bool hold = paused_ && !stop_;
  if (hold && !held_) held_since_ = watch_.seconds();
  if (!hold && held_) pauses_ += watch_.seconds() - held_since_;
  return held_ = hold;
}

double LiveRun::worked() const {
  const std::lock_guard lock(mutex_);
  return worked_now();
}

double LiveRun::paused_seconds() const {
  const std::lock_guard lock(mutex_);
  return paused_now();
}

double LiveRun::paused_now() const {
  return pauses_ + (held_ ? watch_.seconds() - held_since_ : 0);
}

double LiveRun::worked_now() const { return (held_ ? held_since_ : watch_.seconds()) - pauses_; }

void LiveRun::wait_while_paused(const std::function<bool()>& interrupted,
                                const std::function<void(const std::string&)>& tell) {
  if (!hold()) return;
  tell("paused");
  while (hold()) {
    if (interrupted && interrupted()) {
      set_paused(false);
      hold();
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (!stop_requested()) tell("resumed");
}

bool LiveRun::wants_images() const {
  if (watchers_ == 0) return false;
  const double now = watch_.seconds();
  if (now < next_images_) return false;
  next_images_ = now + std::max(kImageInterval, kImageIntervalPerCost * images_.cost());
  return true;
}

bool LiveRun::request_stop() {
  const std::lock_guard lock(mutex_);
  if (ended_) return false;
  stop_ = true;
  return true;
}

bool LiveRun::set_paused(bool on) {
  const std::lock_guard lock(mutex_);
  if (ended_) return false;
  paused_ = on;
  return true;
}

LiveRun::Update LiveRun::take_update() {
  Update update;
  const std::lock_guard lock(mutex_);
  update.starts = starts_;
  update.rounds.swap(rounds_);
  update.status = status_;
  update.ended = ended_;
  if (!ended_) {
    update.status.seconds = status_.seconds = watch_.seconds();
    if (paused_ && !stop_) update.status.state = held_ ? "paused" : "pausing";
    if (stop_) update.status.stage = "stopping after this round";
  }
  if (left_) {
    // The estimate is wrong if its time has passed: then the remaining time is unknown.
    const double seconds = left_->seconds - (worked_now() - left_at_);
    if (seconds > 0) update.status.remaining = seconds;
    update.status.at_most = left_->at_most;
    update.status.progress = left_->done;
  }
  update.status.images = images_.version();
  return update;
}

std::string LiveRun::document() const {
  const std::lock_guard lock(mutex_);
  return document_;
}

}  // namespace firm
