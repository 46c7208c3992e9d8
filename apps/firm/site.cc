#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "interrupt.h"
#include "service/site_run.h"
#include "settings.h"
#include "show.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  SiteArguments site;
  std::vector<std::string> settings;
  ShowOptions show;
};

void print_sent(const SiteResult& result) {
  fmt::print("\nWhat left this site:\n  {:<12} {:>9} {:>12}\n", "kind", "messages", "bytes");
  for (const auto& [kind, sums] : result.sent) {
    fmt::print("  {:<12} {:>9} {:>12}\n", kind, sums.messages, sums.bytes);
  }
}

void print_summary(const Summary& s) {
  fmt::print("{}: {} after {} rounds ({})\n", s.method,
             s.termination.converged ? "converged" : "stopped", s.rounds, s.termination.message);
  fmt::print("  objective f    {:.6e}\n  relative KKT   {:.2e}\n  seconds        {:.2f}\n",
             s.objective, s.certificate.relative, s.seconds);
}

// What the page of a site shows besides: what it does, and what has left it.
void show_traffic(SiteCallbacks& callbacks, LiveRun& live, const std::string& name) {
  callbacks.on_state = [&live, name](SiteState state) {
    live.set_sites({{name, name_of(state), {}}});
    live.set_state(state == SiteState::kComputing || state == SiteState::kSending ? name_of(state)
                                                                                  : "waiting");
  };
  callbacks.on_traffic = [&live](const SiteTraffic& traffic) {
    std::map<std::string, LiveTraffic> sent;
    for (const auto& [kind, sums] : traffic.sent) sent[kind] = {sums.messages, sums.bytes};
    live.set_sent(std::move(sent));
    live.set_sums(traffic.sums, traffic.attempt);
  };
}

void end(Show& show, const SiteResult& result, const std::string& directory) {
  if (!result.complete) {
    // Without a summary of its own, the directory may have that of an earlier run.
    return show.end("stopped", "the same command goes on", result.summary ? directory : "");
  }
  const bool converged = !result.summary || result.summary->termination.converged;
  show.end(converged ? "finished" : "stopped",
           result.summary ? result.summary->termination.message : "", directory);
}

int run(Arguments& a) {
  a.site.settings = key_value_pairs(a.settings);
  catch_interrupts();
  Show show("site", a.show);
  SiteCallbacks callbacks;
  show.watch(callbacks, a.site.name);
  if (show.dashboard() != nullptr) show_traffic(callbacks, show.dashboard()->run(), a.site.name);
  const SiteResult result = show.run([&] { return run_site(a.site, callbacks); });
  end(show, result, a.site.out);
  const int code = result.complete && (!result.summary || result.summary->termination.converged)
                       ? 0
                       : kStoppedEarly;
  if (!show.speaks_to_people()) return code;
  if (!result.complete) {
    fmt::print("Stopped; the same command goes on.\n");
    return code;
  }
  if (result.summary) print_summary(*result.summary);
  print_sent(result);
  fmt::print("\n");
  for (const std::string& file : result.files) fmt::print("wrote {}\n", file);
  return code;
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
  add_show_options(*verb, a->show);
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
