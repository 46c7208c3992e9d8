#include "program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <system_error>

#include "core/closest_name.h"
#include "firm/error.h"
#include "run/reconstruct.h"

namespace firm {
namespace {

constexpr int kDone = 0;
constexpr int kUsage = static_cast<int>(Error::Kind::kUsage);
constexpr int kData = static_cast<int>(Error::Kind::kData);
constexpr int kInternal = 1;

// Shows defaults behind the description, as "(default: 512)".
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = Formatter::make_option_opts(option);
    const std::string value = option->get_default_str();
    if (value.empty()) return text;
    // CLI11 writes " [512] " or "=512", depending on its version.
    for (const std::string& plain : {" [" + value + "] ", "=" + value}) {
      const std::size_t at = text.rfind(plain);
      if (at != std::string::npos) text.erase(at, plain.size());
    }
    return text;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string text = Formatter::make_option_desc(option);
    const std::string value = option->get_default_str();
    return value.empty() ? text : fmt::format("{} (default: {})", text, value);
  }
};

void use_formatter(CLI::App& app, const std::shared_ptr<HelpFormatter>& formatter) {
  app.formatter(formatter);
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    use_formatter(*verb, formatter);
  }
}

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(verb->get_name());
  }
  return verbs;
}

std::string missing_verb(const CLI::App& app) {
  const std::vector<std::string> verbs = verbs_of(app);
  const std::vector<std::string> rest = app.remaining();
  return fmt::format("expected a verb ({}), found {}", fmt::join(verbs, ", "),
                     rest.empty()
                         ? "none"
                         : fmt::format("'{}'{}", rest.front(), did_you_mean(rest.front(), verbs)));
}

// Suggests an option for the first argument that `app` does not know.
std::string suggest_option(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& argument : app.remaining()) {
    const std::string name = argument.substr(0, argument.find('='));
    const std::optional<std::string> meant = closest_name(name, known);
    if (meant) return fmt::format("; did you mean {} instead of {}?", *meant, name);
  }
  return "";
}

int parse_failed(const CLI::App& app, const CLI::ParseError& error) {
  // --help and --version end here, too.
  if (error.get_exit_code() == 0) return app.exit(error);
  const CLI::App* verb = &app;
  std::string command = "firm";
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    command += " " + verb->get_name();
  }
  if (!verbs_of(*verb).empty()) {
    return failed(kUsage, fmt::format("{}\nRun '{} --help' for a list of verbs.",
                                      missing_verb(*verb), command));
  }
  // CLI11 does not say what it expected; only numbers are converted.
  const bool conversion = error.get_name() == "ConversionError";
  return failed(kUsage, fmt::format("{}{}{}\nRun '{} --help' for its options.", error.what(),
                                    conversion ? ", expected a number in range" : "",
                                    suggest_option(*verb), command));
}

int run(CLI::App& app, int argc, char** argv, bool speaks) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return speaks ? parse_failed(app, e) : kUsage;
  } catch (const NotThisProcess& e) {
    return e.exit_code();
  } catch (const Error& e) {
    return failed(e.exit_code(), e.what());
  } catch (const std::bad_alloc&) {
    return failed(kInternal, "not enough memory");
  } catch (const std::filesystem::filesystem_error& e) {  // its message names the file
    return failed(kData, e.what());
  } catch (const std::system_error& e) {
    // fmt throws this when it cannot print; other causes are threads that cannot be started.
    if (std::ferror(stdout) != 0)
      return failed(kData, fmt::format("standard output: {}", e.what()));
    return failed(kInternal, e.what());
  } catch (const std::exception& e) {
    return failed(kInternal, e.what());
  }
  return kDone;
}

}  // namespace

// Uses fputs, which does not throw when standard error cannot be written.
int failed(int code, const std::string& message) {
  std::fputs(fmt::format("firm: error: {}\n", message).c_str(), stderr);
  return code;
}

int run_program(CLI::App& app, int argc, char** argv, const int& outcome, bool speaks) {
  // A file that grows beyond the limit of the process (ulimit -f) is then a write that fails, like
  // one to a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->label("SUBCOMMAND", "VERB");
  use_formatter(app, formatter);
  const int failure = run(app, argc, argv, speaks);
  const int code = failure == kDone ? outcome : failure;
  if (std::fflush(stdout) != 0 && code == kDone) {
    return failed(kData, "standard output: expected space for the result, found none");
  }
  return code;
}

}  // namespace firm
