#include "core/closest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace firm {
namespace {

// Costs of changes: a wrong case is nearly right.
constexpr std::size_t kChange = 8;
constexpr std::size_t kCase = 1;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::size_t replace_cost(char a, char b) {
  if (a == b) return 0;
  return lower(a) == lower(b) ? kCase : kChange;
}

// Damerau-Levenshtein distance (optimal string alignment), in units of 1 / kChange. Keeps the last
// three rows of the matrix.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1);  // row i - 2
  std::vector<std::size_t> last(b.size() + 1);    // row i - 1
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j * kChange;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i * kChange;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + kChange, row[j - 1] + kChange,
                         last[j - 1] + replace_cost(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + kChange);
      }
    }
  }
  return row[b.size()];
}

// The distance is not less.
std::size_t least_distance(const std::string& a, const std::string& b) {
  return (std::max(a.size(), b.size()) - std::min(a.size(), b.size())) * kChange;
}

}  // namespace

std::optional<std::string> closest_name(const std::string& name,
                                        const std::vector<std::string>& known) {
  std::optional<std::string> closest;
  // A third of the letters may be wrong, and all may have the wrong case.
  std::size_t least = name.size() / 3 * kChange + name.size() * kCase;
  for (const std::string& candidate : known) {
    if (least_distance(name, candidate) > least) continue;  // also spares very long names
    const std::size_t cost = distance(name, candidate);
    if (cost > least || (closest && cost == least)) continue;
    least = cost;
    closest = candidate;
  }
  return closest;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::optional<std::string> closest = closest_name(name, known);
  return closest ? fmt::format(" (did you mean {}?)", *closest) : "";
}

}  // namespace firm
