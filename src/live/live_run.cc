#include "live/live_run.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace firm {
namespace {

constexpr std::size_t kMessages = 50;
constexpr double kImageSeconds = 1;
// Images may take so much of the time: seconds between them, for a second of work.
constexpr double kImageRest = 200;

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

LiveFacts LiveRun::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

void LiveRun::set_state(const std::string& state, const std::string& stage) {
  const std::lock_guard lock(mutex_);
  status_.state = state;
  status_.stage = stage;
}

void LiveRun::add_message(const std::string& text) {
  const std::lock_guard lock(mutex_);
  status_.messages.push_back({watch_.seconds(), text});
  if (status_.messages.size() > kMessages) status_.messages.pop_front();
}

void LiveRun::add_round(int limit, LiveRound round) {
  const std::lock_guard lock(mutex_);
  status_.round = static_cast<int>(round.round);
  status_.limit = limit;
  const double per_round = pace_.seconds_per_round(status_.round, round.seconds);
  status_.remaining.reset();
  if (limit > status_.round && per_round > 0) {
    status_.remaining = per_round * (limit - status_.round);
  }
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
  status_.remaining.reset();
  status_.control = false;
  document_ = std::move(document);
  ended_ = true;
}

bool LiveRun::hold() {
  const std::lock_guard lock(mutex_);
  return held_ = paused_ && !stop_;
}

void LiveRun::wait_while_paused(const std::function<bool()>& interrupted) {
  while (hold() && !(interrupted && interrupted())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool LiveRun::wants_images() const {
  if (watchers_ == 0) return false;
  const double now = watch_.seconds();
  if (now < next_images_) return false;
  next_images_ = now + std::max(kImageSeconds, kImageRest * images_.cost());
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

LiveRun::News LiveRun::news() {
  News news;
  const std::lock_guard lock(mutex_);
  news.starts = starts_;
  news.rounds.swap(rounds_);
  news.status = status_;
  news.ended = ended_;
  if (!ended_) {
    news.status.seconds = status_.seconds = watch_.seconds();
    if (paused_) news.status.state = held_ ? "paused" : "pausing";
    if (stop_) news.status.stage = "stopping after this round";
  }
  news.status.images = images_.version();
  return news;
}

std::string LiveRun::document() const {
  const std::lock_guard lock(mutex_);
  return document_;
}

}  // namespace firm
