// firm coordinator: runs the coordinator of a federation.
#include <fmt/format.h>

#include <CLI/App.hpp>
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
  std::string prior;
  std::string refine;
  bool insecure = false;
  ShowOptions show;
};

// Describes what the coordinator waits for; "" while sums are computed.
const char* waiting_reason(const CoordinatorView& view) {
  if (view.running) return "";
  if (view.state.finished) return "until all sites know that the run is finished";
  return view.agreeing ? "for sites to agree on keys" : "for all sites to connect";
}

// Feeds the dashboard of a coordinator: connected sites, and the time that sums take.
class CoordinatorPage {
 public:
  explicit CoordinatorPage(LiveRun& live) : live_(live) {}

  void watch(CoordinatorCallbacks& callbacks) {
    callbacks.on_start = [this](const StudyFile& study, const SolveOptions& options) {
      live_.start(
          {.summary = Dashboard::first_summary(study, options), .curves = {{"sum_seconds", ""}}});
      live_.set_state("waiting", "for all sites to connect");
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
      if (!view.running) seconds_ = watch_.seconds();  // this time does not count for the next sum
      live_.set_state(view.running ? "computing" : "waiting", waiting_reason(view));
    };
    callbacks.paused = [this] { return live_.hold(); };
    callbacks.interrupted = [this, before = callbacks.interrupted] {
      return live_.stop_requested() || before();
    };
  }

 private:
  // Adds one point to the curve for all sums since the last one.
  void add_sums(std::uint64_t sums) {
    const double now = watch_.seconds();
    if (sums == sums_ || now < seconds_ + 0.1) return;
    const auto new_sums = static_cast<double>(sums - sums_);
    live_.add_round(0, {static_cast<long>(sums), now, {(now - seconds_) / new_sums}});
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
  if (!a.prior.empty()) a.coordinator.settings.emplace_back("prior.kind", a.prior);
  if (!a.refine.empty()) a.coordinator.settings.emplace_back("refine", a.refine);
  for (const auto& setting : key_value_pairs(a.settings)) {
    a.coordinator.settings.push_back(setting);
  }
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
           result.complete ? "" : "run the same command to resume",
           result.complete ? a.coordinator.out : "");
  const int code = result.complete ? 0 : kStoppedEarly;
  if (!show.prints_text()) return code;
  if (!result.complete) {
    fmt::print("Stopped. Run the same command to resume.\n");
    return code;
  }
  fmt::print("Run {} is finished: {} sums in {:.1f} s, {} attempt{}.\n", result.run,
             result.exchanges, result.seconds, result.attempts, result.attempts == 1 ? "" : "s");
  return 0;
}

}  // namespace

void add_coordinator(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb =
      app.add_subcommand("coordinator", "Coordinate a federation: add up the shares of its sites");
  verb->add_option("STUDY", a->coordinator.study, "study.toml, the same at every site")->required();
  verb->add_option("--listen", a->coordinator.listen, "HOST:PORT to listen on")->required();
  verb->add_option("--pki", a->coordinator.pki,
                   "Directory with ca.crt, coordinator.crt and coordinator.key")
      ->required();
  verb->add_option("--out", a->coordinator.out,
                   "Directory for the state; resumes an earlier run found there")
      ->required();
  verb->add_option("--prior", a->prior,
                   "tv or none, the same at every site; short for --set prior.kind=");
  verb->add_option(
      "--refine", a->refine,
      "What the scans got wrong, to be found first by the sites: shifts,axis,...; the same at\n"
      "every site; short for --set refine=");
  verb->add_option("--set", a->settings, "key=value: an option; the same at every site")
      ->expected(1)
      ->take_all();
  verb->add_flag("--insecure", a->insecure,
                 "Sites send their shares unmasked: the coordinator can see them");
  verb->add_flag(
      "--allow-two", a->coordinator.allow_two,
      "Accept a study of two sites: their shares are hidden from the coordinator, but each of\n"
      "the two can compute the share of the other");
  verb->add_option("--checkpoint-seconds", a->coordinator.checkpoint_seconds,
                   "Time between checkpoints of the sites")
      ->capture_default_str();
  verb->add_option("--keepalive-seconds", a->coordinator.keepalive_seconds,
                   "Send a ping after this time without traffic; the connection is lost when the\n"
                   "other end does not answer within the same time")
      ->check(CLI::Range(kLeastKeepaliveSeconds, 3600.0))
      ->capture_default_str();
  add_show_options(*verb, a->show);
  verb->footer(
      "The coordinator has no data, and sees neither shares nor sums: see docs/federation.md.\n"
      "It listens on one port and admits sites with a TLS certificate of its authority (firm "
      "pki).\n"
      "\n"
      "Example:\n"
      "  firm coordinator study.toml --listen 0.0.0.0:7443 --pki pki --out coordinator");
  verb->callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace firm
