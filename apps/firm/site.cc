#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "interrupt.h"
#include "run/site_run.h"
#include "settings.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  SiteArguments site;
  std::vector<std::string> settings;
};

void print_sent(const SiteResult& result) {
  fmt::print("\nWhat left this site:\n  {:<12} {:>9} {:>12}\n", "kind", "messages", "bytes");
  for (const auto& [kind, sums] : result.sent) {
    fmt::print("  {:<12} {:>9} {:>12}\n", kind, sums.messages,
               bytes_text(static_cast<double>(sums.bytes)));
  }
}

void print_summary(const Summary& s) {
  fmt::print("{}: {} after {} rounds ({})\n", s.method,
             s.termination.converged ? "converged" : "stopped", s.rounds, s.termination.message);
  fmt::print("  objective f    {:.6e}\n  relative KKT   {:.2e}\n  seconds        {:.2f}\n",
             s.objective, s.certificate.relative, s.seconds);
}

int run(Arguments& a) {
  a.site.settings = key_value_pairs(a.settings);
  catch_interrupts();
  SiteResult result;
  {
    ProgressLine line;
    SiteCallbacks callbacks;
    callbacks.progress = line.callback();
    callbacks.interrupted = interrupt_requested;
    callbacks.on_event = [&](const std::string& text) {
      line.print_event(fmt::format("{}: {}", a.site.name, text));
    };
    callbacks.on_round = [&](const RoundRecord& r, int) {
      line.show_text([&] {
        return fmt::format("round {}  f {:.3e}  KKT {:.1e}", r.round, r.objective, r.kkt);
      });
    };
    result = run_site(a.site, callbacks);
  }
  if (!result.complete) {
    fmt::print("Stopped; the same command goes on.\n");
    return kStoppedEarly;
  }
  if (result.summary) print_summary(*result.summary);
  print_sent(result);
  fmt::print("\n");
  for (const std::string& file : result.files) fmt::print("wrote {}\n", file);
  return !result.summary || result.summary->termination.converged ? 0 : kStoppedEarly;
}

}  // namespace

void add_site(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("site", "Take part in a federation with one site's data");
  verb->add_option("STUDY", a->site.study, "study.toml, the same at every site")->required();
  verb->add_option("--name", a->site.name, "The site, as in the study and in its certificate")
      ->required();
  verb->add_option("--data", a->site.data, "Its data file; without: the study's");
  verb->add_option("--server", a->site.server, "The coordinator, HOST:PORT")->required();
  verb->add_option("--pki", a->site.pki, "Directory with ca.crt, NAME.crt and NAME.key")
      ->required();
  verb->add_option("--out", a->site.out, "Run directory; an earlier run in it is gone on with")
      ->required();
  verb->add_option("--truth", a->site.truth, "File with the true images, to compare with");
  verb->add_option("--set", a->settings, "key=value: an option; the same at every site")
      ->expected(1)
      ->take_all();
  verb->add_flag("--publish", a->site.publish,
                 "Send this site's image to the coordinator at the end; without, it stays here");
  verb->add_flag("--insecure", a->site.insecure,
                 "Take part even if shares are not masked: the coordinator can then see them");
  verb->add_flag("--allow-two", a->site.allow_two,
                 "Take part with one other site only, which can compute this site's shares");
  verb->add_option("--keepalive-seconds", a->site.keepalive_seconds,
                   "A ping after so long without traffic; the other end is lost when it does not\n"
                   "answer for as long")
      ->check(CLI::Range(kLeastKeepaliveSeconds, 3600.0))
      ->capture_default_str();
  verb->footer(
      "The data never leaves this site, and its image neither: see docs/federation.md. "
      "ledger.jsonl\n"
      "in --out has a line for every message that does. The site dials out, and again when the\n"
      "connection is lost; after a crash, the same command goes on.\n"
      "\n"
      "Example:\n"
      "  firm site study.toml --name xrf-1 --data xrf-1.h5 --server coordinator.org:7443 --pki pki "
      "--out run");
  verb->callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace firm
