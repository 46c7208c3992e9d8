// Kills processes of a federation at random moments, determined by a seed, and expects every run to
// finish.
#pragma once

#include <cmath>
#include <random>

#include "service/federation_processes.h"

namespace firm {

class Chaos {
 public:
  // Range of the bytes that a site sends between two kills.
  struct Range {
    double least = 0;
    double most = 0;
  };
  Chaos(FederationProcesses& federation, unsigned seed, Range bytes)
      : federation_(federation), random_(seed), bytes_(bytes) {}

  // Makes runs until that many processes have been killed.
  void strike(int kills) {
    while (kills_ < kills && !::testing::Test::HasFailure()) {
      federation_.new_run();
      federation_.start_all();
      while (kills_ < kills && strike_once()) ++kills_;
      federation_.expect_all_finish();
      if (::testing::Test::HasFailure()) return;
      ++runs_;
      const auto state = federation_.json(FederationProcesses::kCoordinator, "coordinator.json");
      EXPECT_TRUE(state.at("finished").get<bool>());
      attempts_ += state.at("attempt").get<int>();
      for (const int round : federation_.beginnings()) resumed_ += round > 0 ? 1 : 0;
    }
  }

  int kills() const { return kills_; }
  int runs() const { return runs_; }
  int attempts() const { return attempts_; }
  // Number of attempts that did not begin at round 0.
  int resumed() const { return resumed_; }

 private:
  enum Moment { kSetUp, kKeys, kBytes, kResults };

  // Returns false when the run has ended before the kill.
  bool strike_once() {
    const std::string site = pick(FederationProcesses::sites());
    switch (std::discrete_distribution<int>({1, 1, 7, 1})(random_)) {
      case kSetUp:
        return strike_after_pause();
      case kKeys:
        return strike_at_keys(site);
      case kBytes:
        return strike_after_bytes(site);
      default:
        return strike_at_results(site);
    }
  }

  bool strike_after_pause() {
    const int pause = std::uniform_int_distribution<int>(0, 100)(random_);
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    const std::string victim = pick(federation_.everyone());
    if (!federation_.running(victim)) return federation_.any_running() && strike_once();
    federation_.kill(victim);
    federation_.start(victim);
    return true;
  }

  bool strike_at_keys(const std::string& site) {
    const int before = federation_.sent(site, "offer");
    return strike_when(site, [&] { return federation_.sent(site, "offer") > before; });
  }

  // Stalls the connection while the victim is killed, often within a message.
  bool strike_after_bytes(const std::string& site) {
    TcpProxy& proxy = federation_.proxy(site);
    const double exponent = std::uniform_real_distribution<double>(0, 1)(random_);
    const double bytes = bytes_.least * std::pow(bytes_.most / bytes_.least, exponent);
    proxy.stall_after(TcpProxy::kUp, static_cast<std::uint64_t>(bytes));
    const bool in_time = wait_until(FederationProcesses::kPatience,
                                    [&] { return proxy.stalled() || !federation_.any_running(); });
    const std::string victim = flip() ? site : pick(federation_.everyone());
    const bool alive = federation_.running(victim);
    if (alive) federation_.kill(victim);
    // Decides whether the coordinator first learns of the end or of the restart.
    const bool first = flip();
    if (first) proxy.resume();
    if (alive) federation_.start(victim);
    if (!first) proxy.resume();
    EXPECT_TRUE(in_time) << federation_.everything_printed();
    return alive;
  }

  // Strikes when images.h5 is written; the other result files follow it.
  bool strike_at_results(const std::string& site) {
    namespace fs = std::filesystem;
    const std::string images = federation_.out(site) + "/images.h5";
    std::error_code none;
    const auto before = fs::last_write_time(images, none);
    return strike_when(site, [&] {
      std::error_code missing;
      const auto now = fs::last_write_time(images, missing);
      return !missing && (none || now != before);
    });
  }

  // Kills the site, or sometimes the coordinator.
  bool strike_when(const std::string& site, const std::function<bool()>& moment) {
    const bool in_time = wait_until(FederationProcesses::kPatience,
                                    [&] { return moment() || !federation_.any_running(); });
    EXPECT_TRUE(in_time) << federation_.everything_printed();
    const std::string victim = flip() || flip() ? site : FederationProcesses::kCoordinator;
    if (!federation_.running(victim)) return false;
    federation_.kill(victim);
    federation_.start(victim);
    return true;
  }

  bool flip() { return std::bernoulli_distribution(0.5)(random_); }
  std::string pick(const std::vector<std::string>& names) {
    return names[std::uniform_int_distribution<std::size_t>(0, names.size() - 1)(random_)];
  }

  FederationProcesses& federation_;
  std::mt19937 random_;
  Range bytes_;
  int kills_ = 0;
  int runs_ = 0;
  int attempts_ = 0;
  int resumed_ = 0;
};

}  // namespace firm
