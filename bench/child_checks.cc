#include "child_checks.h"

#include <fmt/format.h>

#include <stdexcept>

namespace firm {
namespace {

constexpr int kStoppedEarly = 5;  // as in apps/firm

[[noreturn]] void fail(ChildProcess& process, const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}\n{}", process.program(), what, process.output()));
}

}  // namespace

std::string require_text_after(ChildProcess& process, const std::string& mark, double seconds) {
  const auto text = process.text_after(mark, seconds);
  if (!text) fail(process, fmt::format("does not print '{}'", mark));
  return *text;
}

void require_success(ChildProcess& process, double seconds) {
  const auto code = process.wait(seconds);
  if (!code) fail(process, fmt::format("takes more than {} s", seconds));
  if (*code != 0 && *code != kStoppedEarly) fail(process, fmt::format("exit code {}", *code));
}

}  // namespace firm
