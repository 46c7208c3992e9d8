#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "core/shell_quote.h"
#include "firm/tools.h"
#include "run/store/refined_json.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  AlignRequest request;
  bool json = false;
};

void run(const Arguments& a) {
  ProgressLine line;
  Observer observer;
  observer.progress = line.callback();
  const Refinement found = align_study(a.request, observer);
  if (a.json) {
    fmt::print("{}\n", to_json(found));
    return;
  }
  const std::string& out = a.request.out;
  for (const std::string& text : refinement_lines(found)) fmt::print("{}\n", text);
  fmt::print("{} rounds, {:.1f} s\nwrote {}\n\nTo reconstruct: firm recon {} --out RUN\n",
             found.rounds, found.seconds, out, shell_quote(out));
}

}  // namespace

void add_align(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "align", "Find what a scan got wrong: shifts, axis, angle step, lag, gain, scales");
  verb->add_option("STUDY", a->request.study, "Study file, study.toml")->required();
  verb->add_option("--out", a->request.out, "Study file to write, with the numbers found")
      ->required();
  verb->add_option("--refine", a->request.refine,
                   "Some of shifts, shifts-vertical, axis, angles, lag, gain, scale, separated\n"
                   "by commas (default: those of the study, else shifts,axis)");
  verb->add_option("--threads", a->request.threads, "Threads (default: all)")
      ->check(CLI::Range(0, 1024));
  verb->add_flag("--json", a->json, "Print what was found as JSON, as in summary.json");
  verb->footer(
      "Compares the data with images that fit it, coarse to fine, and changes the numbers of the\n"
      "scan until they agree. Sites with the same `scan` share shifts and angles. firm recon\n"
      "--refine does the same and goes on to the images. docs/data.md, \"A bad scan\", shows the "
      "way\n"
      "from a bad scan to a good image.\n"
      "\n"
      "Examples:\n"
      "  firm align study/study.toml --out study/refined.toml\n"
      "  firm align study/study.toml --refine shifts,axis,lag,gain,scale --out study/refined.toml");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
