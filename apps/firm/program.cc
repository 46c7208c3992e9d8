#include "program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "firm/error.h"
#include "run/reconstruct_parts.h"

namespace firm {
namespace {

constexpr int kDone = 0;
constexpr int kUsage = static_cast<int>(Error::Kind::kUsage);
constexpr int kData = static_cast<int>(Error::Kind::kData);
constexpr int kInternal = 1;

std::string missing_verb(const CLI::App& app) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(verb->get_name());
  }
  const std::vector<std::string> rest = app.remaining();
  return fmt::format("expected a verb ({}), found {}", fmt::join(verbs, ", "),
                     rest.empty() ? "none" : "'" + rest.front() + "'");
}

int parse_failed(const CLI::App& app, const CLI::ParseError& error) {
  // --help and --version come this way, too.
  if (error.get_exit_code() == 0) return app.exit(error);
  const auto given = app.get_subcommands();
  if (given.empty()) {
    return failed(kUsage, missing_verb(app) + "\nRun 'firm --help' for what there is.");
  }
  // The library does not say what it wanted; all options that it converts are numbers.
  const bool conversion = error.get_name() == "ConversionError";
  return failed(kUsage, fmt::format("{}{}\nRun 'firm {} --help' for what it takes.", error.what(),
                                    conversion ? ", expected a number in range" : "",
                                    given.front()->get_name()));
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
  } catch (const std::filesystem::filesystem_error& e) {  // names its file
    return failed(kData, e.what());
  } catch (const std::system_error& e) {
    // What fmt throws when it cannot print; else there is no thread to be had, or so.
    if (std::ferror(stdout) != 0)
      return failed(kData, fmt::format("standard output: {}", e.what()));
    return failed(kInternal, e.what());
  } catch (const std::exception& e) {
    return failed(kInternal, e.what());
  }
  return kDone;
}

}  // namespace

// By fputs, which does not mind a standard error that cannot be written.
int failed(int code, const std::string& message) {
  std::fputs(fmt::format("firm: error: {}\n", message).c_str(), stderr);
  return code;
}

int run_program(CLI::App& app, int argc, char** argv, const int& outcome, bool speaks) {
  const int failure = run(app, argc, argv, speaks);
  const int code = failure == kDone ? outcome : failure;
  if (std::fflush(stdout) != 0 && code == kDone) {
    return failed(kData, "standard output: expected room for the answer, found none");
  }
  return code;
}

}  // namespace firm
