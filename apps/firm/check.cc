// firm check: checks a study and its set-up before a run.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "check/preflight.h"
#include "federation/transport/grpc_limits.h"
#include "firm/error.h"
#include "settings.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  PreflightArguments preflight;
  std::vector<std::string> settings;
  std::string method;
  std::string prior;
  std::string refine;
  std::string max_memory;
  bool resume = false;
  bool overwrite = false;
  // Accepted so that the arguments of a run can be reused; nothing else is checked.
  double keepalive_seconds = kKeepaliveSeconds;
  double checkpoint_seconds = 0;
  bool strict = false;
};

const char* level_text(Finding::Level level) {
  switch (level) {
    case Finding::Level::kOk:
      return "ok";
    case Finding::Level::kWarning:
      return "warning";
    case Finding::Level::kError:
      break;
  }
  return "WRONG";
}

// Prints "WRONG    memory         expected ...", then the fix on a line of its own. Further lines
// of the text are aligned below its first.
void print(const Finding& f) {
  constexpr const char* kNextLine = "\n                        ";
  std::string text = f.text;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, kNextLine);
  }
  if (!f.fix.empty()) text += fmt::format("{}fix: {}", kNextLine, f.fix);
  fmt::print("{:<8} {:<14} {}\n", level_text(f.level), f.subject, text);
  std::fflush(stdout);
}

// --max-memory, --resume and --overwrite belong to firm recon.
void take_recon_options(Arguments& a) {
  PreflightArguments& p = a.preflight;
  p.max_memory = memory_limit("firm check", a.max_memory);
  if (a.resume && a.overwrite) {
    throw usage_error({"firm check", "", "either --resume or --overwrite", "both"});
  }
  if (a.resume) p.start = RunDirectory::Start::kResume;
  if (a.overwrite) p.start = RunDirectory::Start::kOverwrite;
  if (!p.federated() || !(p.max_memory || a.resume || a.overwrite)) return;
  throw usage_error({"firm check",
                     p.max_memory ? "--max-memory"
                     : a.resume   ? "--resume"
                                  : "--overwrite",
                     "the set-up of firm recon, which has it", "that of a federation"});
}

int run(Arguments& a) {
  if (!a.preflight.data.empty() && a.preflight.name.empty()) {
    throw usage_error({"firm check", "--data", "the site it belongs to, with --name", "none"});
  }
  if (!a.method.empty()) a.preflight.settings.emplace_back("method", a.method);
  if (!a.prior.empty()) a.preflight.settings.emplace_back("prior.kind", a.prior);
  if (!a.refine.empty()) a.preflight.settings.emplace_back("refine", a.refine);
  for (const auto& setting : key_value_pairs(a.settings)) a.preflight.settings.push_back(setting);
  take_recon_options(a);
  int errors = 0;
  int warnings = 0;
  const int code = preflight(a.preflight, this_machine(), [&](const Finding& f) {
    print(f);
    errors += f.level == Finding::Level::kError ? 1 : 0;
    warnings += f.level == Finding::Level::kWarning ? 1 : 0;
  });
  fmt::print("\n{} wrong, {} warning{}.\n", errors == 0 ? "Nothing" : std::to_string(errors),
             warnings, warnings == 1 ? "" : "s");
  return code;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  PreflightArguments& p = a->preflight;
  CLI::App* verb = app.add_subcommand("check", "Check a study and its set-up before running");
  verb->add_option("STUDY", p.study, "study.toml")->required();
  verb->add_option("--name", p.name, "Check as this site");
  verb->add_option("--data", p.data, "Data file of the site; default: the one named in the study");
  verb->add_option(
      "--pki", p.pki,
      "Directory with the TLS certificates of the site or, without --name, the coordinator");
  verb->add_option("--server", p.server, "As a site: HOST:PORT of the coordinator");
  verb->add_option("--listen", p.listen, "As the coordinator: HOST:PORT to listen on");
  verb->add_option("--out", p.out, "Run directory");
  verb->add_option("--method", a->method, "As in the run");
  verb->add_option("--prior", a->prior, "As in the run");
  verb->add_option("--refine", a->refine, "As in the run");
  verb->add_option("--max-memory", a->max_memory, "As in firm recon, for example 2GB");
  verb->add_flag("--resume", a->resume, "As in firm recon");
  verb->add_flag("--overwrite", a->overwrite, "As in firm recon");
  verb->add_option("--set", a->settings, "key=value: an option, as in the run")
      ->expected(1)
      ->take_all();
  verb->add_flag("--strict", a->strict, "Accepted as in the run");
  verb->add_flag("--insecure", p.insecure, "As in the run");
  verb->add_flag("--allow-two", p.allow_two, "As in the run");
  verb->add_flag("--publish", p.publish, "As in the run");
  verb->add_option("--truth", p.truth, "As in the run");
  verb->add_option("--keepalive-seconds", a->keepalive_seconds, "As in the run")
      ->check(CLI::Range(kLeastKeepaliveSeconds, 3600.0));
  verb->add_option("--checkpoint-seconds", a->checkpoint_seconds, "As in the run");
  verb->footer(
      "Takes the options of 'firm recon', 'firm site' and 'firm coordinator' except --separate,\n"
      "--mpi, --quiet, --json and --dashboard, and checks everything they name: study, data,\n"
      "memory, TLS certificates, connection and disk. Prints one line for each check and, for a\n"
      "problem, one more with the fix. Does not disturb a run in progress.\n"
      "Exit code, the largest that applies: 0 nothing wrong, 2 study or options, 3 data, memory "
      "or\n"
      "disk, 4 TLS certificates or network.\n"
      "\n"
      "Examples:\n"
      "  firm check study.toml\n"
      "  firm check study.toml --method firm --max-memory 2GB --out run\n"
      "  firm check study.toml --listen 0.0.0.0:7443 --pki pki --out coordinator\n"
      "  firm check study.toml --name xrf-1 --data xrf-1.h5 --server coordinator.org:7443 --pki "
      "pki "
      "--out run");
  verb->callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace firm
