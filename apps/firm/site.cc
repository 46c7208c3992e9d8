// firm site: runs one site of a federation.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "interrupt.h"
#include "run/absorption_text.h"
#include "run/fit_report.h"
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
  std::string prior;
  std::string refine;
  ShowOptions show;
  bool strict = false;
};

void print_sent(const SiteResult& result) {
  fmt::print("\nSent by this site:\n  {:<16} {:>9} {:>12}\n", "kind", "messages", "bytes");
  for (const auto& [kind, sums] : result.sent) {
    fmt::print("  {:<16} {:>9} {:>12}\n", kind, sums.messages, sums.bytes);
  }
}

void print_summary(const Summary& s) {
  fmt::print("{}: {} after {} rounds ({})\n", s.method,
             s.termination.converged ? "converged" : "stopped", s.rounds, s.termination.message);
  fmt::print("  objective f    {:.6e}\n  relative KKT   {:.2e}\n  seconds        {:.2f}\n",
             s.objective, s.certificate.relative, s.seconds);
  // The site of XRT has none.
  if (s.absorption && !s.absorption->sites.empty()) {
    fmt::print("  kept fraction of fluorescence: {}\n", kept_text(*s.absorption));
  }
}

// Feeds the state and the traffic of the site to its dashboard.
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

void report_end(Show& show, const SiteResult& result, const std::string& directory) {
  if (!result.complete) {
    // Without a new summary, the directory may hold that of an earlier run.
    return show.end("stopped", "run the same command to resume", result.summary ? directory : "");
  }
  const bool converged = !result.summary || result.summary->termination.converged;
  show.end(converged ? "finished" : "stopped",
           result.summary ? result.summary->termination.message : "", directory);
}

bool ends_well(const Arguments& a, const std::optional<Summary>& summary) {
  if (!summary) return true;
  return summary->termination.converged && (!a.strict || summary->fits().value_or(true));
}

int run(Arguments& a) {
  if (!a.prior.empty()) a.site.settings.emplace_back("prior.kind", a.prior);
  if (!a.refine.empty()) a.site.settings.emplace_back("refine", a.refine);
  for (const auto& setting : key_value_pairs(a.settings)) a.site.settings.push_back(setting);
  catch_interrupts();
  Show show("site", a.show);
  SiteCallbacks callbacks;
  show.watch(callbacks, a.site.name);
  if (show.dashboard() != nullptr) show_traffic(callbacks, show.dashboard()->run(), a.site.name);
  const SiteResult result = show.run([&] { return run_site(a.site, callbacks); });
  report_end(show, result, a.site.out);
  const int code = result.complete && ends_well(a, result.summary) ? 0 : kStoppedEarly;
  if (!show.prints_text()) return code;
  if (!result.complete) {
    fmt::print("Stopped. Run the same command to resume.\n");
    return code;
  }
  if (result.summary) print_summary(*result.summary);
  print_sent(result);
  fmt::print("\n");
  for (const std::string& file : result.files) fmt::print("wrote {}\n", file);
  if (result.summary) fmt::print("{}\n", fit_sentence(*result.summary));
  return code;
}

}  // namespace

void add_site(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("site", "Take part in a federation with one site's data");
  verb->add_option("STUDY", a->site.study, "study.toml, the same at every site")->required();
  verb->add_option("--name", a->site.name,
                   "Name of the site, as in the study and in its TLS certificate")
      ->required();
  verb->add_option("--data", a->site.data,
                   "Data file of the site; default: the one named in the study");
  verb->add_option("--server", a->site.server, "HOST:PORT of the coordinator")->required();
  verb->add_option("--pki", a->site.pki, "Directory with ca.crt, NAME.crt and NAME.key")
      ->required();
  verb->add_option("--out", a->site.out, "Run directory; resumes an earlier run found there")
      ->required();
  verb->add_option("--truth", a->site.truth, "File with the true images, to compare with");
  verb->add_option("--set", a->settings, "key=value: an option; the same at every site")
      ->expected(1)
      ->take_all();
  verb->add_option("--prior", a->prior,
                   "tv or none, the same at every site; short for --set prior.kind=");
  verb->add_option(
      "--refine", a->refine,
      "What the scans got wrong, to be found first: shifts,axis,...; the same at every\n"
      "site and the coordinator; short for --set refine=. RUN/refined.toml has the result");
  verb->add_flag(
      "--publish", a->site.publish,
      "Send the image of this site to the coordinator at the end; default: it stays here");
  verb->add_flag(
      "--keep-shares", a->site.keep_shares,
      "Keep every share with its salt in OUT/shares, readable by its owner alone, so that\n"
      "this site can open the commitments in its ledger (firm audit). Takes as much disk\n"
      "as is sent");
  verb->add_flag("--insecure", a->site.insecure,
                 "Take part even if shares are not masked: the coordinator can then see them");
  verb->add_flag("--allow-two", a->site.allow_two,
                 "Take part with only one other site, which can compute the shares of this one");
  verb->add_option("--keepalive-seconds", a->site.keepalive_seconds,
                   "Send a ping after this time without traffic; the connection is lost when the\n"
                   "other end does not answer within the same time")
      ->check(CLI::Range(kLeastKeepaliveSeconds, 3600.0))
      ->capture_default_str();
  verb->add_flag("--strict", a->strict,
                 "Exit with code 5 if the data of this site is missed: by more than 2 standard\n"
                 "deviations, or together with the other sites though not alone");
  add_show_options(*verb, a->show);
  verb->footer(
      "The data never leaves this site, and its image only with --publish: see\n"
      "docs/federation.md. ledger.jsonl in --out has a line for every message sent. The site\n"
      "connects to the coordinator, and reconnects when the connection is lost. After a crash, "
      "run\n"
      "the same command to resume.\n"
      "\n"
      "Example:\n"
      "  firm site study.toml --name xrf-1 --data xrf-1.h5 --server coordinator.org:7443 --pki pki "
      "--out run");
  verb->callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace firm
