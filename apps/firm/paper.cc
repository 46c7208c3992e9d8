#include "paper/paper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <memory>

#include "core/timing.h"
#include "firm/error.h"
#include "interrupt.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  paper::PaperArguments paper;
  bool quick = false;
  int samples = 0;
};

void print_page(const paper::Page& page, const std::string& out) {
  for (const paper::Section& section : page.sections) {
    fmt::print("{}\n", section.title);
    for (const paper::Finding& f : section.findings) {
      fmt::print("  {:<14} {}\n{:17}{}\n", paper::verdict_text(f.verdict), f.claim, "", f.found);
    }
  }
  fmt::print("\nwrote {0}/paper.html, with {0}/data and {0}/figures\n", out);
}

// Shows progress with the remaining time, estimated from the cost of the remaining tasks.
paper::CampaignCallbacks callbacks_for(ProgressLine& line, const Stopwatch& watch) {
  paper::CampaignCallbacks callbacks;
  callbacks.interrupted = interrupt_requested;
  callbacks.progress = [&](const std::string& stage, double fraction) {
    line.show_text([&] {
      const double left = fraction > 0 ? watch.seconds() * (1 - fraction) / fraction : 0;
      return fmt::format("{}, {:.1f} %, {}{}", stage, 100 * fraction, duration(watch.seconds()),
                         fraction > 0.002 ? fmt::format(", about {} left", duration(left)) : "");
    });
  };
  return callbacks;
}

int run(Arguments& a) {
  a.paper.plan = a.quick ? paper::quick_plan() : paper::full_plan();
  if (a.samples < 0 || a.samples > 1000) {
    throw usage_error({"--samples", "", "from 1 to 1000", fmt::format("{}", a.samples)});
  }
  a.paper.plan.samples = a.samples;
  catch_interrupts();
  paper::Page page;
  try {
    ProgressLine line;
    const Stopwatch watch;
    page = make_paper(a.paper, callbacks_for(line, watch));
  } catch (const paper::Interrupted&) {
    fmt::print("Stopped. Completed runs are in {}/results; repeat the command to resume.\n",
               a.paper.out);
    return kStoppedEarly;
  }
  print_page(page, a.paper.out);
  return 0;
}

}  // namespace

void add_paper(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb =
      app.add_subcommand("paper", "Reproduce the tables and figures of the paper, with verdicts");
  verb->add_option("--out", a->paper.out, "Output directory; created if needed")->required();
  verb->add_option("--only", a->paper.only,
                   fmt::format("Items, separated by commas: {}; default: all",
                               fmt::join(paper::item_names(), ", ")))
      ->delimiter(',');
  verb->add_flag("--quick", a->quick, "Fewer samples, angles and rounds: within three minutes");
  verb->add_option(
      "--samples", a->samples,
      "Noisy samples per cell of the multimodality grid; default: 10 at gamma = 1, and "
      "4, 2, 1 at 0.1, 0.05, 0.02, where a run takes up to 9000 rounds; 10 "
      "everywhere take about three times as long");
  verb->add_option("--threads", a->paper.threads, "Threads; default: all");
  verb->footer(
      "Writes to --out: paper.html (claims of the paper, findings, verdicts), paper.json, data/\n"
      "(CSV), figures/ (SVG, PNG), results/ (one file per run). After a stop, repeat the command\n"
      "to resume: runs in results/ are not repeated.\n"
      "\n"
      "Examples:\n"
      "  firm paper --out paper --quick\n"
      "  firm paper --out paper --only table1,ratio");
  verb->callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace firm
