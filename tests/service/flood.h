// A federation under attack by connections: of peers without a certificate, and of one that has
// one.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/timing.h"
#include "federation/transport/grpc_channel.h"
#include "service/federation_processes.h"
#include "support/certificates.h"
#include "support/command_line.h"

namespace firm {

// A number of /proc/PID/status, such as "VmHWM" in kB; 0 when the process has ended.
inline long process_status(pid_t id, const std::string& key) {
  std::ifstream status(fmt::format("/proc/{}/status", id));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) return std::stol(line.substr(key.size() + 1));
  }
  return 0;
}

// Expects that a coordinator has stayed within its memory. A sanitizer takes many times as much.
inline void expect_little_memory(long kilobytes) {
  if (FIRM_SANITIZED != 0) return;
  EXPECT_LT(kilobytes, 120'000);
}

// Watches the largest value of a number of /proc/PID/status.
class StatusWatch {
 public:
  StatusWatch(pid_t id, const std::string& key)
      : thread_([this, id, key](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            most_ = std::max<long>(most_, process_status(id, key));
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
        }) {}
  long most() const { return most_; }

 private:
  std::atomic<long> most_ = 0;
  std::jthread thread_;
};

struct Flood {
  int idle = 0;       // connections that say nothing
  int half_open = 0;  // handshakes that are not continued
};

// Attacks a run, kills a site beside it, and expects the bytes of an undisturbed run.
inline void expect_run_survives(FederationProcesses& federation, const Flood& flood) {
  constexpr const char* kCoordinator = FederationProcesses::kCoordinator;
  constexpr double kPatience = FederationProcesses::kPatience;
  federation.new_run();
  // The hard limit, too, so that the coordinator cannot raise it.
  std::vector<std::string> command = {"/bin/sh", "-c", "ulimit -n 1024 && exec \"$@\"", "sh"};
  const std::vector<std::string> plain = federation.command(kCoordinator);
  command.insert(command.end(), plain.begin(), plain.end());
  federation.start_with(kCoordinator, command);
  const auto port = federation.process(kCoordinator).text_after("listening on port ", kPatience);
  ASSERT_TRUE(port);
  const pid_t id = federation.process(kCoordinator).id();
  const StatusWatch memory(id, "VmHWM");
  const StatusWatch threads(id, "Threads");
  for (const std::string& site : federation.members()) federation.start(site);
  ASSERT_TRUE(wait_until(kPatience, [&] { return federation.sent("xrf-2", "share") > 5; }));
  ChildProcess attack({"/usr/bin/python3", FIRM_ATTACK, *port, std::to_string(flood.idle),
                       std::to_string(flood.half_open)});
  ASSERT_TRUE(attack.prints("opened", kPatience)) << attack.output();
  federation.kill("xrf-2");
  const Stopwatch watch;
  federation.start("xrf-2");
  ASSERT_TRUE(federation.process("xrf-2").prints("attempt ", kPatience))
      << federation.everything_printed();
  const double back = watch.seconds();
  EXPECT_TRUE(attack.running()) << attack.output();
  federation.expect_all_finish();
  EXPECT_GE(federation.beginnings().size(), 2u) << "the site was not lost in the run";
  fmt::print("back after {:.2f} s, coordinator: {} kB, {} threads, log of {} bytes\n", back,
             memory.most(), threads.most(), federation.log(kCoordinator).size());
  EXPECT_LT(back, 10);
  expect_little_memory(memory.most());
  EXPECT_LT(federation.log(kCoordinator).size(), 100'000u);
  EXPECT_CONTAINS(federation.log(kCoordinator), "from 127.0.0.1: ");
}

// A coordinator and its certificates, without sites.
class Besieged : public CommandLine {
 protected:
  static constexpr double kPatience = 120;  // seconds
  const std::vector<std::string> sites_ = {"xrf-1", "xrf-2", "xrf-3", "xrt"};

  void SetUp() override {
    make_study();
    coordinator_ = std::make_unique<ChildProcess>(std::vector<std::string>{
        FIRM_PROGRAM, "coordinator", directory_ / "study/study.toml", "--listen", "127.0.0.1:0",
        "--pki", certificates_.authority(), "--out", directory_ / "coordinator"});
    const auto port = coordinator_->text_after("listening on port ", kPatience);
    ASSERT_TRUE(port) << coordinator_->output();
    address_ = "127.0.0.1:" + *port;
  }

  std::unique_ptr<ChildProcess> start_site(const std::string& name) const {
    return std::make_unique<ChildProcess>(std::vector<std::string>{
        FIRM_PROGRAM, "site", directory_ / "study/study.toml", "--name", name, "--server", address_,
        "--pki", certificates_.home(name), "--out", directory_ / ("run-" + name)});
  }
  // Expects that the run ends well with all sites; those that are running stay.
  void expect_run(std::map<std::string, std::unique_ptr<ChildProcess>> running = {}) {
    for (const std::string& name : sites_) {
      if (!running.contains(name)) running[name] = start_site(name);
    }
    for (const auto& [name, site] : running) EXPECT_EQ(site->wait(kPatience), 0) << site->output();
    EXPECT_EQ(coordinator_->wait(kPatience), 0) << coordinator_->output();
  }
  std::unique_ptr<GrpcChannel> dial(const std::string& site) const {
    return std::make_unique<GrpcChannel>(address_, identity_of(certificates_.of(site)), kPatience);
  }

  // Opens streams of one site and keeps them, whatever they are answered.
  void expect_few_threads(int streams) {
    const StatusWatch threads(coordinator_->id(), "Threads");
    std::vector<std::unique_ptr<GrpcChannel>> open;
    for (int k = 0; k < streams; ++k) open.push_back(dial("xrf-1"));
    EXPECT_TRUE(wait_until(kPatience, [&] {
      return process_status(coordinator_->id(), "Threads") < kFewThreads;
    })) << process_status(coordinator_->id(), "Threads");
    fmt::print("{} streams: at most {} threads, log of {} bytes\n", streams, threads.most(),
               coordinator_->output().size());
    EXPECT_LT(threads.most(), kMostThreads);
    EXPECT_LT(coordinator_->output().size(), 100'000u);
    open.clear();
    expect_run();
  }
  // Opens streams on connections that take no message, with a certificate of the authority. With 0
  // streams: sends headers that never end.
  void expect_unread_streams_end(const std::string& name, int connections, int streams) {
    const std::string script =
        std::filesystem::path(FIRM_ATTACK).parent_path() / "flood_streams.py";
    const StatusWatch threads(coordinator_->id(), "Threads");
    const StatusWatch memory(coordinator_->id(), "VmHWM");
    ChildProcess attack({"/usr/bin/python3", script, address_.substr(address_.find(':') + 1),
                         certificates_.home(name), name, std::to_string(connections),
                         std::to_string(streams)});
    ASSERT_TRUE(attack.prints("opened", kPatience)) << attack.output();
    EXPECT_TRUE(attack.prints("ended", kPatience)) << attack.output();
    EXPECT_TRUE(wait_until(kPatience, [&] {
      return process_status(coordinator_->id(), "Threads") < kFewThreads;
    })) << process_status(coordinator_->id(), "Threads");
    EXPECT_TRUE(attack.running()) << attack.output();
    fmt::print("{} connections, {} streams on each: at most {} kB, {} threads, log of {} bytes\n",
               connections, streams, memory.most(), threads.most(), coordinator_->output().size());
    expect_little_memory(memory.most());
    EXPECT_LT(coordinator_->output().size(), 100'000u);
    expect_run();
  }
  static constexpr long kFewThreads = 40;
  static constexpr long kMostThreads = 80;

  Certificates certificates_{sites_, {"127.0.0.1"}};
  std::unique_ptr<ChildProcess> coordinator_;
  std::string address_;
};

}  // namespace firm
