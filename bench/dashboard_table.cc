// Cost of watching a run: the paper's study with method firm, about 1000 rounds per second. During
// one long run, a page is opened and closed in turns. One kind of page receives all events and
// images but draws nothing; the other is in Chromium, on the same processors. The cost of the
// dashboard itself, without a page, comes from alternating runs with and without one.
//
// The speed of a machine varies by more than the cost of a page. A page, however, works in short
// bursts. So every round is compared with the median of the rounds around it, which follows the
// speed of the machine; the excess is the cost of the page. This method cannot see what a dashboard
// does in every round; that is timed separately.
//
//   dashboard_table [TURNS]    (default: 5)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "browser.h"
#include "child_checks.h"
#include "core/timing.h"
#include "live/dashboard.h"
#include "support/temporary_directory.h"
#include "watched_run.h"

namespace firm {
namespace {

constexpr std::size_t kAround = 200;        // rounds before and after, for a median
constexpr int kRounds = 8000;               // of runs with and without a dashboard
constexpr std::chrono::seconds kSettle(5);  // time to open a page; not measured
constexpr std::chrono::seconds kStretch(16);
constexpr double kTarget = 1.02;

void run_program(const std::vector<std::string>& command, const TemporaryDirectory& directory) {
  ChildProcess process(command, {.log = directory / "printed"});
  require_success(process, 600);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Sum over rounds of their seconds, and of the medians around them.
struct Pace {
  double taken = 0;
  double median = 0;

  double ratio() const { return taken / median; }
};

// Seconds of each round from `begin` to `end`; `ends` holds the times at which rounds ended.
std::vector<double> rounds_of(const std::vector<double>& ends, std::size_t begin, std::size_t end) {
  std::vector<double> rounds;
  for (std::size_t k = begin + 1; k <= end; ++k) rounds.push_back(ends.at(k) - ends.at(k - 1));
  return rounds;
}

// Seconds that a run spends on its dashboard after every round: the fastest of several turns.
double seconds_of_callback() {
  Dashboard dashboard("recon", "127.0.0.1:0");
  RunCallbacks callbacks;
  dashboard.watch(callbacks);
  const StudyFile study;
  const SolveOptions options;
  callbacks.on_start({study, options, "", {"xrf-1", "xrf-2", "xrf-3", "xrt"}});
  RoundRecord record;
  record.residuals = {1, 2, 3, 4};
  double best = 1;
  for (int turn = 0; turn < 20; ++turn) {
    const Stopwatch watch;
    for (int k = 0; k < 1000; ++k) {
      ++record.round;
      callbacks.on_round(record, 2 * record.round, "");
      if (callbacks.wants_images()) throw std::logic_error("no page is open");
    }
    best = std::min(best, watch.seconds() / 1000);
  }
  return best;
}

Pace pace_of(const std::vector<double>& ends, std::size_t begin, std::size_t end) {
  const std::vector<double> rounds = rounds_of(ends, begin, end);
  Pace pace;
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    const std::size_t from = k - std::min(k, kAround);
    const std::size_t to = std::min(rounds.size(), k + kAround + 1);
    pace.taken += rounds[k];
    pace.median += median({rounds.begin() + static_cast<std::ptrdiff_t>(from),
                           rounds.begin() + static_cast<std::ptrdiff_t>(to)});
  }
  return pace;
}

// Receives every event and the images they announce, and draws nothing.
class LightPage {
 public:
  explicit LightPage(const WatchedRun& run)
      : client_(run.url()), stream_(client_.address()), thread_([this] { receive(); }) {}
  ~LightPage() { stream_.stop(); }

 private:
  void receive() {
    stream_.set_read_timeout(60);
    stream_.Get("/api/events", [&](const char* data, std::size_t size) {
      if (std::string_view(data, size).find("event: images") != std::string_view::npos) {
        client_.get("/api/images");
      }
      return true;
    });
  }

  DashboardClient client_;
  httplib::Client stream_;
  std::jthread thread_;
};

class BrowserPage {
 public:
  BrowserPage(Browser& browser, const WatchedRun& run)
      : browser_(browser), tab_(browser.open(run.url())) {}
  ~BrowserPage() {
    try {
      browser_.close(tab_);
    } catch (const std::exception& e) {
      fmt::print(stderr, "{}\n", e.what());
    }
  }
  BrowserPage(const BrowserPage&) = delete;
  BrowserPage& operator=(const BrowserPage&) = delete;

 private:
  Browser& browser_;
  std::string tab_;
};

struct Stretch {
  std::size_t begin = 0;  // first and last round
  std::size_t end = 0;
  double opening = 0;    // processor seconds of the browser before `begin`
  double processor = 0;  // and from `begin` to `end`
};

Stretch measure(WatchedRun& run, const Browser& browser) {
  Stretch s;
  const double first = browser.processor_seconds();
  std::this_thread::sleep_for(kSettle);
  s.begin = run.round();
  const double second = browser.processor_seconds();
  std::this_thread::sleep_for(kStretch);
  s.end = run.round();
  s.opening = second - first;
  s.processor = browser.processor_seconds() - second;
  return s;
}

struct Comparison {
  std::vector<double> ratios;  // of each turn, relative to the stretches before and after
  std::vector<double> opening;
  std::vector<double> processor;
};

// No page is open in stretches 0, 2, 4, ...
Comparison compare(const std::vector<Stretch>& stretches, const std::vector<double>& ends) {
  const auto ratio = [&](std::size_t k) {
    return pace_of(ends, stretches[k].begin, stretches[k].end).ratio();
  };
  Comparison c;
  for (std::size_t k = 1; k + 1 < stretches.size(); k += 2) {
    c.ratios.push_back(ratio(k) / ((ratio(k - 1) + ratio(k + 1)) / 2));
    c.opening.push_back(stretches[k].opening);
    c.processor.push_back(stretches[k].processor);
  }
  return c;
}

// `open` returns a page that watches the run until it is destroyed.
template <typename Open>
Comparison watch_in_turns(const TemporaryDirectory& directory, const Browser& browser, int turns,
                          const Open& open) {
  WatchedRun run(directory.path());
  std::vector<Stretch> stretches = {measure(run, browser)};
  for (int turn = 0; turn < turns; ++turn) {
    {
      const auto page = open(run);
      stretches.push_back(measure(run, browser));
    }
    stretches.push_back(measure(run, browser));
  }
  run.stop();
  return compare(stretches, seconds_of_rounds(directory.path()));
}

// Time of a run with a dashboard over that without: in bursts, and in every round.
std::vector<double> ratios_of_dashboard(const TemporaryDirectory& directory, int turns,
                                        double callback) {
  const auto cost_of_run = [&](bool dashboard) {
    run_program(run_command(directory.path(), kRounds, dashboard), directory);
    const std::vector<double> ends = seconds_of_rounds(directory.path());
    const double round = median(rounds_of(ends, kRounds / 8, kRounds));
    return pace_of(ends, kRounds / 8, kRounds).ratio() * (1 + (dashboard ? callback / round : 0));
  };
  std::vector<double> ratios;
  double before = cost_of_run(false);
  for (int turn = 0; turn < turns; ++turn) {
    const double with = cost_of_run(true);
    const double after = cost_of_run(false);
    ratios.push_back(with / ((before + after) / 2));
    before = after;
  }
  return ratios;
}

void print_row(const char* what, const std::vector<double>& ratios) {
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  fmt::print("| {} | {:.4f} | {:.4f} to {:.4f} | {} |\n", what, median(ratios), *low, *high,
             kTarget);
  std::fflush(stdout);
}

void print_table(int turns) {
  const TemporaryDirectory directory;
  run_program({FIRM_PROGRAM, "simulate", "--out", directory / "study"}, directory);
  fmt::print(
      "| firm, {} turns | time of a round, median | of all turns | target |\n|---|---|---|---|\n",
      turns);
  const double callback = seconds_of_callback();
  print_row("--dashboard, no page open", ratios_of_dashboard(directory, turns, callback));
  if (!Browser::installed()) {
    fmt::print("\nChromium is not installed: no rows for pages.\n");
    return;
  }
  Browser browser(directory.path());
  const Comparison light = watch_in_turns(directory, browser, turns, [](const WatchedRun& run) {
    return std::make_unique<LightPage>(run);
  });
  print_row("one page that draws nothing", light.ratios);
  const Comparison page = watch_in_turns(directory, browser, turns, [&](const WatchedRun& run) {
    return std::make_unique<BrowserPage>(browser, run);
  });
  print_row("one page in Chromium, on the same processors", page.ratios);
  const double share = 100.0 / kStretch.count();
  fmt::print("\nWork for the dashboard after every round: {:.2f} us.\n", 1e6 * callback);
  fmt::print(
      "Processor time of Chromium: {:.2f} % of one processor with the page, {:.2f} % without; "
      "{:.2f} s to open it.\n",
      share * median(page.processor), share * median(light.processor), median(page.opening));
}

}  // namespace
}  // namespace firm

int main(int argc, char** argv) {
  firm::print_table(argc > 1 ? std::max(1, std::atoi(argv[1])) : 5);
  return 0;
}
