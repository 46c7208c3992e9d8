#include "solve/stop_forecast.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace firm {
namespace {

constexpr std::size_t kFewest = 10;
constexpr std::size_t kMost = 64;  // bounds the cost of a round
constexpr double kNever = 1e9;     // rounds

// y = at_last + slope (x - last x), by least squares.
struct Line {
  double slope = 0;
  double at_last = 0;
  double squares = 0;  // sum of squared residuals
};

// Fits the heights of points as a function of `x`.
template <typename Points, typename X>
Line line_through(const Points& points, const X& x) {
  const auto n = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const auto& p : points) {
    mean_x += x(p) / n;
    mean_y += p.height / n;
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (const auto& p : points) {
    const double dx = x(p) - mean_x;
    const double dy = p.height - mean_y;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const double slope = xx > 0 ? xy / xx : 0;
  return {slope, mean_y + slope * (x(points.back()) - mean_x), yy - slope * xy};
}

}  // namespace

void RuleTrend::add(int round, double excess) {
  if (round % stride_ != 0 || !(excess > 0) || !std::isfinite(excess)) return;
  points_.push_back({static_cast<double>(round), std::log1p(round), std::log(excess)});
  if (points_.size() < kMost) return;
  stride_ *= 2;
  std::erase_if(points_, [&](const Point& p) { return static_cast<int>(p.round) % stride_ != 0; });
}

int RuleTrend::end() const {
  if (points_.size() < kFewest) return 0;
  const std::span<const Point> newer = std::span(points_).subspan(points_.size() / 2);
  const Line part = line_through(newer, [](const Point& p) { return p.round; });
  const Line power = line_through(newer, [](const Point& p) { return p.log_round; });
  const bool by_power = power.squares < part.squares;
  const Line& line = by_power ? power : part;
  if (!(line.slope < 0) || !(line.at_last > 0)) return 0;
  const double ahead = line.at_last / -line.slope;
  const Point& last = points_.back();
  const double round = by_power ? std::expm1(last.log_round + ahead) : last.round + ahead;
  return round < kNever ? static_cast<int>(std::ceil(round)) : 0;
}

void StopForecast::add(const RoundMetrics& now, std::optional<double> objective_before,
                       double misfit) {
  const auto add = [&](std::size_t rule, double value, double target) {
    if (target > 0) trends_[rule].add(now.round, value / target);
  };
  add(0, now.objective, rules_.objective);
  if (rules_.discrepancy > 0) add(1, misfit, 1);
  if (now.round == 0) return;  // the rules below need a step
  add(2, std::max(now.kkt, now.violation.value_or(0)), rules_.kkt);
  add(3, now.step_norm, rules_.step);
  if (objective_before && *objective_before > 0) {
    add(4, std::abs(*objective_before - now.objective) / *objective_before, rules_.change);
  }
}

int StopForecast::end() const {
  int first = 0;
  for (const RuleTrend& trend : trends_) {
    const int round = trend.end();
    if (round > 0 && (first == 0 || round < first)) first = round;
  }
  return first;
}

}  // namespace firm
