#include <fmt/format.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/shell_quote.h"
#include "firm/error.h"
#include "prep/study_data.h"
#include "run/refine_study.h"
#include "run/store/refined_json.h"
#include "run/study_inputs.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  std::string study;
  std::string out;
  std::string refine = "shifts,axis";
  bool json = false;
  int threads = 0;
};

SolveOptions options_for(const StudyFile& file, const Arguments& a, bool chosen) {
  SolveOptions options = options_of(file, a.study, {});
  if (chosen || options.refine == "none") {
    set_option(options, "--refine", "refine", a.refine);
  }
  options.threads = a.threads;
  return options;
}

// Writes the study with the numbers found, and without the option to look for them again.
void write_refined(StudyFile file, const Arguments& a) {
  std::erase_if(file.settings, [](const Setting& s) { return s.key == "refine"; });
  for (SiteEntry& entry : file.sites) {
    if (entry.looked_up) entry.coefficient = 0;  // not written, looked up again
  }
  relocate_study(a.study, std::filesystem::absolute(a.out).parent_path().string(), file);
  write_study(a.out, file);
}

void run(const Arguments& a, bool chosen) {
  StudyData data(read_study(a.study), a.study);
  const SolveOptions options = options_for(data.file(), a, chosen);
  if (options.refine == "none") {
    throw usage_error(
        {"firm align", "--refine", "something to refine, such as shifts,axis", "none"});
  }
  data.geometries();
  data.refuse_counts();
  ProgressLine line;
  data.estimate();
  const Refinement found = refine_study(data, options, false, line.callback());
  write_refined(data.file(), a);
  if (a.json) {
    fmt::print("{}\n", refined_json(found).dump(2));
    return;
  }
  for (const std::string& text : refinement_lines(found)) fmt::print("{}\n", text);
  fmt::print("{} rounds, {:.1f} s\nwrote {}\n\nTo reconstruct: firm recon {} --out RUN\n",
             found.rounds, found.seconds, a.out, shell_quote(a.out));
}

}  // namespace

void add_align(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "align", "Find what a scan got wrong: shifts, axis, angle step, lag, gain, scales");
  verb->add_option("STUDY", a->study, "Study file, study.toml")->required();
  verb->add_option("--out", a->out, "Study file to write, with the numbers found")->required();
  CLI::Option* refine = verb->add_option(
      "--refine", a->refine,
      "Some of shifts, shifts-vertical, axis, angles, lag, gain, scale, separated\n"
      "by commas (default: those of the study, else shifts,axis)");
  verb->add_option("--threads", a->threads, "Threads (default: all)")->check(CLI::Range(0, 1024));
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
  verb->callback([a, refine] { run(*a, refine->count() > 0); });
}

}  // namespace firm
