#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/closest_name.h"
#include "core/shell_quote.h"
#include "firm/error.h"
#include "interrupt.h"
#include "run/absorption_text.h"
#include "run/fit_report.h"
#include "run/reconstruct.h"
#include "settings.h"
#include "show.h"
#include "solve/registry.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  ReconArguments recon;
  std::string method;
  std::string prior;
  std::string refine;
  std::string max_memory;
  std::vector<std::string> settings;
  ShowOptions show;
  bool resume = false;
  bool overwrite = false;
  bool separate = false;
  bool mpi = false;
  bool strict = false;
  Processes* processes = nullptr;  // under mpirun

  bool speaks() const { return processes == nullptr || processes->rank() == 0; }
};

void print_sites(const Summary& s) {
  fmt::print("\n  {:<12} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "site", "residual", "fit",
             "noise level", "bytes sent", s.error ? "error" : "");
  for (const SiteSummary& site : s.sites) {
    fmt::print("  {:<12} {:>12.4e} {:>12} {:>12.4f} {:>12} {:>12}\n", site.name, site.residual,
               fit_text(site), site.discrepancy, bytes_text(site.bytes_up),
               site.error ? fmt::format("{:.4f}", *site.error) : "");
  }
}

std::string prior_text(const PriorSummary& prior) {
  if (std::isnan(prior.strength)) return prior.kind + ", a strength for each chunk";
  return fmt::format("{}, strength {:.3g}{}", prior.kind, prior.strength,
                     prior.automatic ? " (automatic)" : "");
}

void print_summary(const ReconResult& result) {
  const Summary& s = result.summary;
  const Certificate& c = s.certificate;
  fmt::print("{}: {} after {} round{} ({})\n", s.method,
             s.termination.converged ? "converged" : "stopped", s.rounds, s.rounds == 1 ? "" : "s",
             s.termination.message);
  fmt::print("  objective f    {:.6e}\n", s.objective);
  fmt::print("  ||D w||        {:.3e}\n", c.primal);
  fmt::print("  smallest value {:.3g}\n", c.min_w);
  fmt::print("  stationarity   {:.3e}, relative {:.3e}\n", c.stationarity, c.relative);
  if (c.gap)
    fmt::print("  duality gap    {:.3e}, of the objective {:.2e}\n", *c.gap, *c.gap / s.objective);
  if (s.prior) fmt::print("  prior          {}\n", prior_text(*s.prior));
  if (s.absorption) {
    fmt::print("  kept fraction of fluorescence: {}\n", kept_text(*s.absorption));
  }
  fmt::print("  time           {:.2f} s ({:.2f} s in projections), {} thread{}, kernel {}\n",
             s.seconds, s.projection_seconds, s.threads, s.threads == 1 ? "" : "s", s.kernel);
  if (s.error) fmt::print("  error to truth {:.4f}\n", *s.error);
  print_sites(s);
  fmt::print("\n");
  for (const std::string& file : result.files) fmt::print("wrote {}\n", file);
}

void print_fit(const ReconResult& result) {
  for (const std::string& warning : result.warnings) {
    fmt::print("warning: {}\n", causes_below(warning));
  }
  fmt::print("{}\n", fit_sentence(result.summary));
}

int exit_code(const Arguments& a, const ReconResult& result) {
  const bool misses = a.strict && !result.summary.fits().value_or(true);
  return result.summary.termination.converged && !misses ? 0 : kStoppedEarly;
}

// Returns the settings that let a run go on after the limit that has stopped it: twice as far.
std::string raised_limit(const Summary& s) {
  if (s.termination.reason == "rounds") {
    constexpr long kMost = std::numeric_limits<int>::max();
    return fmt::format(" --set stop.rounds={}", std::min(2L * s.rounds, kMost));
  }
  if (s.termination.reason == "seconds") {
    return fmt::format(" --set stop.seconds={:.0f}", std::ceil(2 * s.seconds));
  }
  return "";
}

std::string resume_command(const Arguments& a, const Summary& s) {
  std::string text = a.mpi ? fmt::format("mpirun -n {} ", a.processes->count()) : "";
  text += fmt::format("firm recon {} --out {} --resume", shell_quote(a.recon.study),
                      shell_quote(a.recon.out));
  if (a.mpi) text += " --mpi";
  if (a.separate && !a.mpi) text += " --separate";
  if (!a.recon.truth.empty()) text += " --truth " + shell_quote(a.recon.truth);
  if (a.strict) text += " --strict";
  return text + raised_limit(s);
}

void print_how_to_resume(const Arguments& a, const ReconResult& result) {
  const Summary& s = result.summary;
  if (s.termination.converged) return;
  const std::string what =
      result.chunks_done ? fmt::format("Interrupted, with {} chunk{} finished.",
                                       *result.chunks_done, *result.chunks_done == 1 ? "" : "s")
                         : "Stopped before converging.";
  fmt::print("{} To resume:\n  {}\n", what, resume_command(a, s));
  if (s.termination.reason == "seconds") {
    fmt::print("Time adds up over resumes, without pauses: {:.2f} s so far.\n", s.seconds);
  }
}

ReconResult reconstruct_here(const Arguments& a, const RunCallbacks& callbacks) {
  if (a.processes != nullptr) return reconstruct_to_directory(a.recon, callbacks, *a.processes);
  return reconstruct_to_directory(a.recon, callbacks);
}

int show_and_reconstruct(const Arguments& a) {
  Show show("recon", a.show);
  RunCallbacks callbacks;
  show.watch(callbacks);
  const ReconResult result = show.run([&] { return reconstruct_here(a, callbacks); });
  const Termination& end = result.summary.termination;
  show.end(end.converged ? "finished" : "stopped", end.message,
           result.chunks_done ? "" : a.recon.out);
  if (show.prints_text()) {
    if (!result.chunks_done) print_summary(result);
    print_how_to_resume(a, result);
    if (!result.chunks_done) print_fit(result);
  }
  return exit_code(a, result);
}

// Runs in all processes of mpirun but the first.
int reconstruct_silently(const Arguments& a) {
  RunCallbacks callbacks;
  callbacks.interrupted = interrupt_requested;
  const ReconResult result = reconstruct_here(a, callbacks);
  return result.summary.termination.converged ? 0 : kStoppedEarly;
}

void take_max_memory(Arguments& a) {
  if (a.max_memory.empty()) return;
  a.recon.max_memory = memory_limit("firm recon", a.max_memory);
  if (a.separate || a.mpi) {
    throw usage_error({"firm recon", "--max-memory",
                       "all sites in this process (under mpirun, more processes hold fewer slices "
                       "each)",
                       a.mpi ? "--mpi" : "--separate"});
  }
}

void take_method(Arguments& a) {
  if (a.method.empty()) return;
  const std::vector<std::string>& names = method_names();
  if (std::find(names.begin(), names.end(), a.method) == names.end()) {
    throw usage_error({"firm recon", "--method", fmt::format("one of {}", fmt::join(names, ", ")),
                       fmt::format("'{}'{}", a.method, did_you_mean(a.method, names))});
  }
  a.recon.settings.emplace_back("method", a.method);
}

int run(Arguments& a) {
  if (a.resume && a.overwrite) {
    throw usage_error({"firm recon", "", "either --resume or --overwrite", "both"});
  }
  if (a.resume) a.recon.start = RunDirectory::Start::kResume;
  if (a.overwrite) a.recon.start = RunDirectory::Start::kOverwrite;
  a.recon.separate = a.separate || a.mpi;
  take_method(a);
  if (!a.prior.empty()) a.recon.settings.emplace_back("prior.kind", a.prior);
  if (!a.refine.empty()) a.recon.settings.emplace_back("refine", a.refine);
  for (const auto& setting : key_value_pairs(a.settings)) a.recon.settings.push_back(setting);
  take_max_memory(a);

  catch_interrupts();
  return a.speaks() ? show_and_reconstruct(a) : reconstruct_silently(a);
}

std::string method_list() {
  std::string text = "Methods:\n";
  for (const MethodRow& row : methods()) text += fmt::format("  {:<8} {}\n", row.name, row.help);
  return text + "\n";
}

// Lists the options of --set and of a study's [solve] table.
std::string option_list() {
  std::string text = "Options for --set and the study's [solve] table, with their defaults:\n";
  for (const OptionText& o : describe_options({})) {
    text += fmt::format("  {:<30} {}\n", o.key + "=" + o.value, o.help);
  }
  return text;
}

}  // namespace

void add_recon(CLI::App& app, int& exit_code, Processes* processes) {
  auto a = std::make_shared<Arguments>();
  a->processes = processes;
  CLI::App* verb = app.add_subcommand("recon", "Reconstruct the images of a study on this machine");
  verb->add_option("STUDY", a->recon.study, "Study file, study.toml")->required();
  verb->add_option("--method", a->method,
                   "How to solve: one of the methods below (default: the method of the study)");
  verb->add_option("--prior", a->prior,
                   "tv: prefer images of few and short edges; none (default: that of the study).\n"
                   "Short for --set prior.kind=");
  verb->add_option(
      "--refine", a->refine,
      "What the scan got wrong, to be found from the data first: shifts,\n"
      "shifts-vertical, axis, angles, lag, gain, scale, separated by commas. Short for\n"
      "--set refine=");
  verb->add_option("--out", a->recon.out, "Directory for the results; created if needed")
      ->required();
  verb->add_option("--set", a->settings, "Option as key=value, see below; may be repeated")
      ->expected(1)
      ->take_all();
  verb->add_option("--truth", a->recon.truth,
                   "File with the true images, to report errors (default: the truth of the study)");
  verb->add_option(
      "--max-memory", a->max_memory,
      "Largest memory of the run, for example 2GB, 1500MB or 2GiB. Slices that do not\n"
      "fit at once are solved in chunks, one after another (default: all at once)");
  verb->add_flag("--resume", a->resume,
                 "Resume the run in --out, with its options; --set may change stop rules");
  verb->add_flag("--overwrite", a->overwrite, "Replace the run in --out");
  verb->add_flag(
      "--separate", a->separate,
      "Solve every site separately, with the sums of a federation. Gives the same images\n"
      "as a coordinator and sites, to the bit; slower than all sites together");
  verb->add_flag("--mpi", a->mpi,
                 "As --separate, with sites and slices distributed over the processes of mpirun;\n"
                 "--out must be on a file system that all of them share");
  verb->add_flag(
      "--strict", a->strict,
      "Exit with code 5 if the data of a site is missed: by more than 2 standard deviations, or\n"
      "together with the other sites though not alone");
  add_show_options(*verb, a->show);
  verb->footer(
      method_list() + option_list() +
      "\n"
      "Writes to --out: summary.json, history.jsonl, images.h5, recon/ (TIFF and PNG of every\n"
      "image), overview.png, report.html (all results on one page, for a browser), and study.toml\n"
      "with all estimated values; with --refine or scale = \"auto\" also refined.toml, the study "
      "with\n"
      "what was found. After Ctrl-C, --resume continues the run.\n"
      "Exit code 5: stopped before converging; with --strict, also if the data is not fitted.\n"
      "\n"
      "With several chunks (--max-memory, or --set chunks=N) the stop rules act on each chunk\n"
      "separately, so that images can differ from those of all slices at once, within the\n"
      "tolerance of the rule. Finished chunks stay in --out/chunks until all are finished;\n"
      "--resume does not solve them again.\n"
      "\n"
      "Examples:\n"
      "  firm recon study/study.toml --out run\n"
      "  firm recon study/study.toml --out paper --method firm\n"
      "  firm recon study/study.toml --out fast --set stop.kkt=1e-3 --set ds.local_steps=25\n"
      "  firm recon study/study.toml --out smooth --prior tv\n"
      "  firm recon study/study.toml --out sharp --refine shifts,axis --prior tv\n"
      "  firm recon study/study.toml --out run --max-memory 2GB\n"
      "  firm recon study/study.toml --out run --dashboard 8080\n"
      "  mpirun -n 4 firm recon study/study.toml --out cluster --mpi");
  verb->callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace firm
