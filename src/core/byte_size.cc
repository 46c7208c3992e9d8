#include "core/byte_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace firm {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 9> kUnits = {{{"b", 1.0},
                                                                        {"kb", 1e3},
                                                                        {"mb", 1e6},
                                                                        {"gb", 1e9},
                                                                        {"tb", 1e12},
                                                                        {"kib", 0x1p10},
                                                                        {"mib", 0x1p20},
                                                                        {"gib", 0x1p30},
                                                                        {"tib", 0x1p40}}};
constexpr double kMost = 0x1p60;

}  // namespace

std::optional<std::uint64_t> parse_byte_size(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc()) return {};
  const char* name = rest;
  while (name != end && *name == ' ') ++name;
  std::string unit(name, end);
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [known, bytes] : kUnits) {
    if (unit != known) continue;
    const double size = std::floor(number * bytes);
    if (!(size >= 1 && size <= kMost)) return {};
    return static_cast<std::uint64_t>(size);
  }
  return {};
}

std::string byte_size_text(std::uint64_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  return mebibytes < 1024 ? fmt::format("{:.0f} MiB", mebibytes)
                          : fmt::format("{:.1f} GiB", mebibytes / 1024);
}

}  // namespace firm
