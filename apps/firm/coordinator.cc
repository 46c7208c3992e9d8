#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "interrupt.h"
#include "service/coordinator_run.h"
#include "settings.h"
#include "show.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  CoordinatorArguments coordinator;
  std::vector<std::string> settings;
  bool insecure = false;
  ShowOptions show;
};

// What it waits for, if it does.
const char* stage_of(const CoordinatorView& view) {
  if (view.running) return "";
  if (view.state.finished) return "until all sites have heard that the run is finished";
  return view.agreeing ? "for sites to agree on keys" : "for all sites to come";
}

// What the page of a coordinator shows: who is there, and how long sums take.
class CoordinatorPage {
 public:
  explicit CoordinatorPage(LiveRun& live) : live_(live) {}

  void watch(CoordinatorCallbacks& callbacks) {
    callbacks.on_start = [this](const StudyFile& study, const SolveOptions& options) {
      live_.start(
          {.summary = Dashboard::first_summary(study, options), .curves = {{"sum_seconds", ""}}});
      live_.set_state("waiting", "for all sites to come");
    };
    callbacks.on_exchange = [this, before = callbacks.on_exchange](std::uint64_t sums) {
      if (before) before(sums);
      add_sums(sums);
    };
    callbacks.on_view = [this](const CoordinatorView& view) {
      std::vector<LiveSite> sites;
      for (const auto& peer : view.sites) {
        sites.push_back({peer.site, name_of(peer.state), peer.bytes});
      }
      live_.set_sites(std::move(sites));
      live_.set_sums(view.sums, view.state.attempt);
      if (!view.running) seconds_ = watch_.seconds();  // what sites wait for is no sum
      live_.set_state(view.running ? "computing" : "waiting", stage_of(view));
    };
    callbacks.paused = [this] { return live_.hold(); };
    callbacks.interrupted = [this, before = callbacks.interrupted] {
      return live_.stop_requested() || before();
    };
  }

 private:
  // Several sums between two looks share a point.
  void add_sums(std::uint64_t sums) {
    const double now = watch_.seconds();
    if (sums == sums_ || now < seconds_ + 0.1) return;
    const auto fresh = static_cast<double>(sums - sums_);
    live_.add_round(0, {static_cast<long>(sums), now, {(now - seconds_) / fresh}});
    sums_ = sums;
    seconds_ = now;
  }

  LiveRun& live_;
  Stopwatch watch_;
  std::uint64_t sums_ = 0;
  double seconds_ = 0;
};

int run(Arguments& a) {
  a.coordinator.secure = !a.insecure;
  a.coordinator.settings = key_value_pairs(a.settings);
  catch_interrupts();
  Show show("coordinator", a.show);
  CoordinatorCallbacks callbacks;
  callbacks.interrupted = interrupt_requested;
  callbacks.on_event = [&](const std::string& text) { show.event(text); };
  callbacks.on_listening = [&](int port) { show.event(fmt::format("listening on port {}", port)); };
  callbacks.on_exchange = [&](std::uint64_t exchanges) {
    if (exchanges > 0) show.line([&] { return fmt::format("{} sums", exchanges); });
  };
  std::optional<CoordinatorPage> page;
  if (Dashboard* dashboard = show.dashboard()) page.emplace(dashboard->run()).watch(callbacks);
  const CoordinatorResult result =
      show.run([&] { return run_coordinator(a.coordinator, callbacks); });
  show.end(result.complete ? "finished" : "stopped",
           result.complete ? "" : "the same command goes on",
           result.complete ? a.coordinator.out : "");
  const int code = result.complete ? 0 : kStoppedEarly;
  if (!show.speaks_to_people()) return code;
  if (!result.complete) {
    fmt::print("Stopped; the same command goes on.\n");
    return code;
  }
  fmt::print("Run {} is finished: {} sums in {:.1f} s, {} attempt{}.\n", result.run,
             result.exchanges, result.seconds, result.attempts, result.attempts == 1 ? "" : "s");
  return 0;
}

}  // namespace

void add_coordinator(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("coordinator", "Add up what the sites of a federation send");
  verb->add_option("STUDY", a->coordinator.study, "study.toml, the same at every site")->required();
  verb->add_option("--listen", a->coordinator.listen, "HOST:PORT to listen on")->required();
  verb->add_option("--pki", a->coordinator.pki,
                   "Directory with ca.crt, coordinator.crt and coordinator.key")
      ->required();
  verb->add_option("--out", a->coordinator.out,
                   "Directory for its state; an earlier run in it is gone on with")
      ->required();
  verb->add_option("--set", a->settings, "key=value: an option; the same at every site")
      ->expected(1)
      ->take_all();
  verb->add_flag("--insecure", a->insecure,
                 "Sites send their shares unmasked: the coordinator can see them");
  verb->add_flag(
      "--allow-two", a->coordinator.allow_two,
      "Secure aggregation of two sites: it hides shares from the coordinator, but of two\n"
      "sites each can compute the other's");
  verb->add_option("--checkpoint-seconds", a->coordinator.checkpoint_seconds,
                   "How often sites keep their state")
      ->capture_default_str();
  verb->add_option("--keepalive-seconds", a->coordinator.keepalive_seconds,
                   "A ping after so long without traffic; the other end is lost when it does not\n"
                   "answer for as long")
      ->check(CLI::Range(kLeastKeepaliveSeconds, 3600.0))
      ->capture_default_str();
  add_show_options(*verb, a->show);
  verb->footer(
      "The coordinator has no data, and sees neither shares nor sums: see docs/federation.md.\n"
      "It listens on one port, for sites with a certificate of its authority (firm pki).\n"
      "\n"
      "Example:\n"
      "  firm coordinator study.toml --listen 0.0.0.0:7443 --pki pki --out coordinator");
  verb->callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace firm
