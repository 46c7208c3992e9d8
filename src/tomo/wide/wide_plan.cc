#include "tomo/wide/wide_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace firm {
namespace {

// Members of a family, at most. If the detector is centred, each member comes with the opposite
// rays: four members would be more rays than the first-level cache has room for.
int most_members(bool centred) { return centred ? 2 : kWideMembers; }

AdjointPair make_pair(const Geometry& g, std::size_t angle) {
  const auto [c, s] = direction(g.angles[angle]);
  const double large = std::max(std::abs(c), std::abs(s));
  const double small = interval_width(std::min(std::abs(c), std::abs(s)) / large) * large;
  const double scale = g.pixel_size / g.spacing;  // beamlets per pixel
  const double half_width = 0.5 * (large + small) * scale;
  AdjointPair p;
  p.angle[0] = angle;
  p.across = c * scale;
  p.down = -s * scale;
  // Beamlet j has t = coordinate(0) + j spacing.
  p.origin = -g.coordinate(angle, 0) / g.spacing + (0.5 - g.image_columns / 2.0) * p.across +
             (0.5 - g.image_rows / 2.0) * p.down - half_width;
  const auto fixed = [](double x) {
    const double most = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::clamp(std::round(x * 0x1p30), -most, most));
  };
  // The trapezoid is 2 half_width wide; of two rays that reach a pixel, the second is on its
  // falling side or above it.
  p.fall_first = std::min(fixed(2 * half_width - 1), (1 << 30) - 1);
  p.fall_second = fixed(2 - 2 * half_width);
  p.ramp = std::max(1, fixed(small * scale));
  p.scale = static_cast<float>(g.pixel_size / large / p.ramp);
  p.pixels = make_split_table(kWideChunk, p.across);
  return p;
}

// Whether b is the mirror image of a: pi - theta, with the same shift.
bool mirrored(const Geometry& g, std::size_t a, std::size_t b) {
  constexpr double kTolerance = 1e-13;
  const Direction da = direction(g.angles[a]);
  const Direction db = direction(g.angles[b]);
  return std::abs(da.cosine + db.cosine) < kTolerance && std::abs(da.sine - db.sine) < kTolerance &&
         g.coordinate(a, 0) == g.coordinate(b, 0);
}

std::vector<AdjointPair> make_pairs(const Geometry& g) {
  std::vector<std::size_t> order(g.angles.size());  // by sine, so that mirror images are neighbours
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  const auto key = [&](std::size_t k) { return std::round(direction(g.angles[k]).sine * 1e12); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<AdjointPair> pairs;
  for (const std::size_t k : order) {
    if (!pairs.empty() && pairs.back().members == 1 && mirrored(g, pairs.back().angle[0], k)) {
      pairs.back().members = 2;
      pairs.back().angle[1] = k;
    } else {
      pairs.push_back(make_pair(g, k));
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const AdjointPair& a, const AdjointPair& b) {
    return a.members > b.members;
  });
  return pairs;
}

bool is_centred(const Geometry& g) {
  constexpr double kTolerance = 1e-10;  // beamlets
  for (std::size_t k = 0; k < g.angles.size(); ++k) {
    const double sum = g.coordinate(k, 0) + g.coordinate(k, g.beamlets - 1);
    if (std::abs(sum) > kTolerance * g.spacing) return false;
  }
  return true;
}

}  // namespace

WidePlan::WidePlan(const Geometry& geometry, int lanes)
    : centred_(is_centred(geometry)),
      strips_(geometry, lanes, most_members(centred_)),
      pairs_(make_pairs(geometry)) {}

bool WidePlan::fits() const {
  const Geometry& g = geometry();
  const auto two_rays = [](const Family& f) { return (1 + f.tau) / f.pitch <= 2; };
  return g.image_rows > 1 && g.image_columns > 1 && g.beamlets > 1 &&
         std::all_of(strips_.families().begin(), strips_.families().end(), two_rays);
}

int WidePlan::batch(std::size_t k, int most) const {
  int count = 1;
  while (count < most && k + static_cast<std::size_t>(count) < pairs_.size() &&
         pairs_[k + static_cast<std::size_t>(count)].members == pairs_[k].members) {
    ++count;
  }
  return count;
}

std::size_t WidePlan::bytes() const {
  return strips_.bytes() + pairs_.size() * (sizeof(AdjointPair) + kWideChunk * 8);
}

}  // namespace firm
