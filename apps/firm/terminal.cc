#include "terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>

namespace firm {
namespace {

constexpr double kQuiet = 1.0;  // seconds before the first text
constexpr double kTerminalInterval = 0.1;
constexpr double kPlainInterval = 5.0;

// Ignores errors: a run must not fail because the disk with its log is full.
void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) != 0), next_(kQuiet) {}

ProgressLine::~ProgressLine() {
  if (drawn_ && terminal_) std::fputs("\r\033[K", stderr);
}

Progress ProgressLine::callback() {
  return [this](const std::string& stage, double fraction) {
    show_text([&] {
      return fmt::format("{}: {:.0f} % after {:.0f} s", stage, 100 * fraction, watch_.seconds());
    });
  };
}

void ProgressLine::show_text(const std::function<std::string()>& make) {
  const std::lock_guard lock(mutex_);
  const double now = watch_.seconds();
  if (now < next_) return;
  next_ = now + (terminal_ ? kTerminalInterval : kPlainInterval);
  drawn_ = true;
  const std::string text = make();
  put(terminal_ ? "\r\033[K" + text : text + "\n");
}

void ProgressLine::print_event(const std::string& text) {
  const std::lock_guard lock(mutex_);
  put(fmt::format("{}{}\n", drawn_ && terminal_ ? "\r\033[K" : "", text));
}

}  // namespace firm
