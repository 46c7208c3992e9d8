#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "federation/transport/grpc_limits.h"
#include "firm/error.h"
#include "check/preflight.h"
#include "settings.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  PreflightArguments preflight;
  std::vector<std::string> settings;
  // Of which nothing is to be checked but that a run would take them.
  double keepalive_seconds = kKeepaliveSeconds;
  double checkpoint_seconds = 0;
};

const char* level_text(Finding::Level level) {
  switch (level) {
    case Finding::Level::kOk:
      return "ok";
    case Finding::Level::kWarning:
      return "warning";
    case Finding::Level::kWrong:
      break;
  }
  return "WRONG";
}

// "WRONG    memory         expected ...", and the fix in a line of its own; further lines of the
// text are below its first.
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

int run(Arguments& a) {
  if (!a.preflight.data.empty() && a.preflight.name.empty()) {
    throw usage_error({"firm check", "--data", "the site it belongs to, with --name", "none"});
  }
  a.preflight.settings = key_value_pairs(a.settings);
  int wrong = 0;
  int warnings = 0;
  const int code = preflight(a.preflight, this_machine(), [&](const Finding& f) {
    print(f);
    wrong += f.level == Finding::Level::kWrong ? 1 : 0;
    warnings += f.level == Finding::Level::kWarning ? 1 : 0;
  });
  fmt::print("\n{} wrong, {} warning{}.\n", wrong == 0 ? "Nothing" : std::to_string(wrong),
             warnings, warnings == 1 ? "" : "s");
  return code;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  PreflightArguments& p = a->preflight;
  CLI::App* verb =
      app.add_subcommand("check", "Tell what will go wrong in a run, before it begins");
  verb->add_option("STUDY", p.study, "study.toml")->required();
  verb->add_option("--name", p.name, "As a site: its name");
  verb->add_option("--data", p.data, "Its data file; without: the study's");
  verb->add_option("--pki", p.pki, "Certificates, of the site or, without --name, the coordinator");
  verb->add_option("--server", p.server, "As a site: the coordinator, HOST:PORT");
  verb->add_option("--listen", p.listen, "As the coordinator: HOST:PORT to listen on");
  verb->add_option("--out", p.out, "Directory of the run");
  verb->add_option("--set", a->settings, "key=value: an option, as for the run")
      ->expected(1)
      ->take_all();
  verb->add_flag("--insecure", p.insecure, "As for the run");
  verb->add_flag("--allow-two", p.allow_two, "As for the run");
  verb->add_flag("--publish", p.publish, "As for the run");
  verb->add_option("--truth", p.truth, "As for the run");
  verb->add_option("--keepalive-seconds", a->keepalive_seconds, "As for the run")
      ->check(CLI::Range(kLeastKeepaliveSeconds, 3600.0));
  verb->add_option("--checkpoint-seconds", a->checkpoint_seconds, "As for the run");
  verb->footer(
      "Takes what 'firm site' or 'firm coordinator' takes, but for --quiet, --json and "
      "--dashboard,\n"
      "and checks as much as it is told about: the study, the data, memory, certificates, the "
      "connection, the disk. One line for each; "
      "where\n"
      "something is wrong, one more with the fix. A run that is under way does not notice.\n"
      "Exit code, of the worst: 0 nothing wrong, 2 study or options, 3 data, memory or disk,\n"
      "4 certificates or network.\n"
      "\n"
      "Examples:\n"
      "  firm check study.toml\n"
      "  firm check study.toml --listen 0.0.0.0:7443 --pki pki --out coordinator\n"
      "  firm check study.toml --name xrf-1 --data xrf-1.h5 --server coordinator.org:7443 --pki "
      "pki "
      "--out run");
  verb->callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace firm
