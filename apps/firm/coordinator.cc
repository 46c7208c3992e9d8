#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "interrupt.h"
#include "run/coordinator_run.h"
#include "settings.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  CoordinatorArguments coordinator;
  std::vector<std::string> settings;
  bool insecure = false;
};

int run(Arguments& a) {
  a.coordinator.secure = !a.insecure;
  a.coordinator.settings = key_value_pairs(a.settings);
  catch_interrupts();
  CoordinatorResult result;
  {
    ProgressLine line;
    CoordinatorCallbacks callbacks;
    callbacks.interrupted = interrupt_requested;
    callbacks.on_event = [&](const std::string& text) { line.print_event(text); };
    callbacks.on_listening = [&](int port) {
      line.print_event(fmt::format("listening on port {}", port));
    };
    callbacks.on_exchange = [&](std::uint64_t exchanges) {
      if (exchanges > 0) line.show_text([&] { return fmt::format("{} sums", exchanges); });
    };
    result = run_coordinator(a.coordinator, callbacks);
  }
  if (!result.complete) {
    fmt::print("Stopped; the same command goes on.\n");
    return kStoppedEarly;
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
  verb->footer(
      "The coordinator has no data, and sees neither shares nor sums: see docs/federation.md.\n"
      "It listens on one port, for sites with a certificate of its authority (firm pki).\n"
      "\n"
      "Example:\n"
      "  firm coordinator study.toml --listen 0.0.0.0:7443 --pki pki --out coordinator");
  verb->callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace firm
