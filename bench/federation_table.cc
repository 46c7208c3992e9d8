// Speed of the federation on this machine: the coordinator and every site are processes, connected
// by gRPC over mutual TLS on the loopback interface. Prints two tables of docs/performance.md.
//
//   federation_table [ROW...]     round, bytes, memory, sites, delay, parts (default: all)
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bare_federation.h"
#include "firm_processes.h"
#include "solve/method.h"
#include "sum_parts.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr std::size_t kWords = 62'500;
constexpr std::size_t kSites = 4;
constexpr int kTurns = 3;

void print_row(const std::string& what, const std::string& result, const std::string& target) {
  fmt::print("| {} | {} | {} |\n", what, result, target);
  std::fflush(stdout);
}

std::string ms(double seconds) { return fmt::format("{:.1f} ms", 1e3 * seconds); }

double cpu_of_all(const BareFigures& f) {
  double sum = f.coordinator.cpu;
  for (const SiteFigures& site : f.sites) sum += site.cpu;
  return sum;
}

// The best of several turns, separately for each figure.
BareFigures best_of_turns(const BareFederation& federation) {
  BareFigures best = run_bare(federation);
  for (int turn = 1; turn < kTurns; ++turn) {
    const BareFigures f = run_bare(federation);
    best.coordinator.cpu = std::min(best.coordinator.cpu, f.coordinator.cpu);
    for (std::size_t i = 0; i < f.sites.size(); ++i) {
      best.sites[i].least = std::min(best.sites[i].least, f.sites[i].least);
      best.sites[i].median = std::min(best.sites[i].median, f.sites[i].median);
      best.sites[i].cpu = std::min(best.sites[i].cpu, f.sites[i].cpu);
    }
  }
  return best;
}

// Time of the tags at one site over that of a whole sum, and of all tags over all processor time.
void print_tags(const std::string& root, const BareFigures& sum) {
  double seconds = 0;
  for (const SumPart& part : parts_at_site(kWords, kSites, root + "/tags.jsonl")) {
    if (part.name == "make tags" || part.name == "check tags") seconds += part.seconds;
  }
  print_row("tags of that sum",
            fmt::format("{:.3f} ms at a site, {:.1f} %; of the CPU of all {:.1f} %", 1e3 * seconds,
                        100 * seconds / sum.sites.front().least,
                        100 * seconds * kSites / cpu_of_all(sum)),
            "3 %");
}

void print_round(const std::string& root, bool secure) {
  const BareFigures f = best_of_turns({root, kSites, kWords, 300, secure});
  const SiteFigures& site = f.sites.front();
  print_row(fmt::format("a sum of {} x {} values, TLS, {} masks", kSites, kWords,
                        secure ? "with" : "without"),
            fmt::format("{}; median {}; CPU of all {}", ms(site.least), ms(site.median),
                        ms(cpu_of_all(f))),
            secure ? "6 ms" : "");
  if (secure) print_tags(root, f);
}

void print_bytes(const std::string& root) {
  const BareFigures f = run_bare({root, kSites, kWords, 50, true});
  // Words have 4 bytes, scalars 32: those of the solver, a vote, a bound and two tags.
  const double payload = static_cast<double>(4 * kWords + 32 * (Scalars().span().size() + 4));
  const SiteFigures& site = f.sites.front();
  print_row("bytes of a connection over those of shares and totals",
            fmt::format("{:.4f}", (site.bytes_up + site.bytes_down) / (2 * payload)), "1.05");
}

void print_memory(const std::string& root) {
  constexpr std::size_t kMany = 10'000'000;
  const BareFigures f = run_bare({root, kSites, kMany, 10, true});
  print_row(
      fmt::format("memory of the coordinator for {} x {} values", kSites, kMany),
      fmt::format("{:.0f} MB", 1e-6 * (f.coordinator.peak_memory - f.coordinator.idle_memory)),
      "3 vectors, 120 MB");
}

// One thread per site, because sites share the cores of this machine here.
void print_many_sites(const TemporaryDirectory& scratch) {
  const std::string root = scratch / "many";
  make_study_of(30, root, "study");
  enrol(root, sites_of(root, "study"));
  const FirmFigures f =
      run_firm({root,
                "study",
                "run",
                {"method=firm", "stop.discrepancy=0", "stop.rounds=200", "threads=1"},
                0});
  print_row(
      fmt::format("`firm`, 30 sites of 32 x 32 pixels, {} rounds", f.rounds),
      fmt::format("{} per round, {:.1f} s in all", ms(f.solver_seconds / f.rounds), f.seconds),
      "finishes");
}

void print_delay(const TemporaryDirectory& scratch) {
  constexpr double kDelay = 50;  // milliseconds
  const std::string root = scratch / "delay";
  make_paper_study(root, "study", 250, 25, 0.01);
  enrol(root, sites_of(root, "study"));
  FirmFigures with{1e300}, without{1e300};
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto run = [&](const char* name, double delay) {
      return run_firm({root, "study", fmt::format("{}-{}", name, turn), {}, delay});
    };
    const FirmFigures slow = run("slow", kDelay);
    if (slow.seconds < with.seconds) with = slow;
    without.seconds = std::min(without.seconds, run("fast", 0).seconds);
  }
  print_row(fmt::format("`firm-ds`, paper's study, {} rounds, {} ms each way", with.rounds, kDelay),
            fmt::format("{:.1f} s; without delay {:.1f} s; {:.1f} round trips", with.seconds,
                        without.seconds, (with.seconds - without.seconds) / (2e-3 * kDelay)),
            "6 s");
  const FirmFigures f = run_firm(
      {root, "study", "firm", {"method=firm", "stop.discrepancy=0", "stop.rounds=50"}, kDelay});
  print_row(fmt::format("a round of `firm`, the same study, {} ms each way", kDelay),
            ms(f.solver_seconds / f.rounds), "");
}

void print_parts(const std::string& root) {
  fmt::print("\n| part of a sum | us |\n|---|---|\n");
  for (const SumPart& part : parts_at_site(kWords, kSites, root + "/ledger.jsonl")) {
    fmt::print("| site: {} | {:.0f} |\n", part.name, 1e6 * part.seconds);
  }
  for (const SumPart& part : parts_at_coordinator(kWords, kSites)) {
    fmt::print("| coordinator: {} | {:.0f} |\n", part.name, 1e6 * part.seconds);
  }
}

void print_table(const std::vector<std::string>& arguments) {
  const std::set<std::string> chosen(arguments.begin(), arguments.end());
  const auto wanted = [&](const char* row) { return chosen.empty() || chosen.contains(row); };
  const TemporaryDirectory scratch;
  const std::string bare = scratch / "bare";
  enrol(bare, bare_site_names(kSites));
  fmt::print("| measured | result | target |\n|---|---|---|\n");
  if (wanted("round")) print_round(bare, true);
  if (wanted("round")) print_round(bare, false);
  if (wanted("bytes")) print_bytes(bare);
  if (wanted("memory")) print_memory(bare);
  if (wanted("sites")) print_many_sites(scratch);
  if (wanted("delay")) print_delay(scratch);
  if (wanted("parts")) print_parts(bare);
}

}  // namespace
}  // namespace firm

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (!firm::run_as_part(arguments)) firm::print_table(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "federation_table: {}\n", error.what());
    return 1;
  }
  return 0;
}
