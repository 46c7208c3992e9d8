#include "prep/axis/centre_of_mass.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "firm/geometry.h"

namespace firm {
namespace {

using Equations =
    std::array<std::array<double, 4>, 3>;  // three unknowns; the right-hand side is last

void add_row(Equations& e, const std::array<double, 4>& row, double weight) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) e[i][j] += weight * row[i] * row[j];
  }
}

// The first unknown, by elimination of the others.
std::optional<double> solve_first(Equations e) {
  constexpr double kSingular = 1e-6;
  const double scale = e[0][0];
  for (std::size_t last = 2; last > 0; --last) {
    if (!(e[last][last] > kSingular * scale)) return {};
    for (std::size_t i = 0; i < last; ++i) {
      const double factor = e[i][last] / e[last][last];
      for (std::size_t j = 0; j < 4; ++j) e[i][j] -= factor * e[last][j];
    }
  }
  if (!(e[0][0] > kSingular * scale)) return {};
  return e[0][3] / e[0][0];
}

struct Mass {
  double sum = 0;
  double moment = 0;
};

}  // namespace

std::optional<double> axis_by_centre_of_mass(const Sinogram& s, const std::vector<double>& angles,
                                             const std::vector<double>& shifts,
                                             const std::vector<std::size_t>& slices) {
  std::vector<Mass> masses(s.angles);
  double largest = 0;
  for (const std::size_t z : slices) {
    const std::vector<float> values = filled_slice(s, z);
    for (std::size_t a = 0; a < s.angles; ++a) {
      for (std::size_t x = 0; x < s.beamlets; ++x) {
        const auto value = static_cast<double>(values[a * s.beamlets + x]);
        masses[a].sum += value;
        masses[a].moment += value * (static_cast<double>(x) + 0.5);
      }
    }
  }
  for (const Mass& mass : masses) largest = std::max(largest, mass.sum);
  Equations equations{};
  for (std::size_t a = 0; a < s.angles; ++a) {
    const Mass& mass = masses[a];
    if (!(mass.sum > 0.1 * largest)) continue;  // noise
    const Direction d = direction(angles[a]);
    const double centre = mass.moment / mass.sum - (shifts.empty() ? 0.0 : shifts[a]);
    const double weight = mass.sum / largest;
    add_row(equations, {1, d.cosine, d.sine, centre}, weight * weight);
  }
  return solve_first(equations);
}

}  // namespace firm
