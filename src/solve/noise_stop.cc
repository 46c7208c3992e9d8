#include "solve/noise_stop.h"

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

constexpr double kWindow = 1.5;      // factor in steps over which the rate is measured
constexpr double kSpread = 1.05;     // between looks
constexpr std::size_t kMarks = 12;   // more than a window has
constexpr double kMostSteps = 3000;  // more than images of any size have needed
constexpr double kFirstSteps = 8;    // fewer steps say too little about a rate
constexpr double kMostOfRays = 0.5;

}  // namespace

std::vector<std::size_t> measured_variables(const Problem& problem) {
  std::vector<std::size_t> measured;
  for (std::size_t v = 0; v < problem.variables().size(); ++v) {
    if (problem.variables()[v].measured) measured.push_back(v);
  }
  return measured;
}

NoiseStop::NoiseStop(const Problem& problem, std::vector<std::size_t> variables, double strength)
    : strength_(strength), marks_(kMarks) {
  for (const std::size_t v : variables) {
    // `other` has no data of its own: it is fitted to that of XRT.
    const std::size_t of = problem.variables()[v].measured ? v : problem.transmission();
    const double sigma = problem.variables()[of].sigma;
    for (std::size_t z = 0; z < problem.slices(); ++z) {
      const std::size_t column = of * problem.slices() + z;
      columns_.push_back(column);
      rays_.push_back(static_cast<double>(problem.rays()[column]));
      level_.push_back(sigma * sigma * rays_.back());
    }
  }
  for (Mark& mark : marks_) mark.logs.resize(columns_.size());
  least_.assign(columns_.size(), Bounds{}.least);
  most_.assign(columns_.size(), Bounds{}.most);
  restart();
}

void NoiseStop::set_bounds(std::size_t number, const Bounds& bounds) {
  least_[number] = bounds.least;
  most_[number] = bounds.most;
}

void NoiseStop::restart(long step) {
  for (Mark& mark : marks_) mark.step = 0;
  peak_.assign(columns_.size(), 0.0);
  done_.assign(columns_.size(), false);
  next_ = 1;
  origin_ = static_cast<int>(step);
}

std::size_t NoiseStop::open() const {
  return static_cast<std::size_t>(std::ranges::count(done_, false));
}

bool NoiseStop::finished(std::size_t number, double square, double rate, double pixels) const {
  const double m = rays_[number];
  const double by_noise = strength_ * std::min(pixels, kMostOfRays * m) / m;
  if (rate > by_noise || !within(number, square)) return false;
  return square <= level_[number] || rate <= peak_[number] / 2;
}

void NoiseStop::look(long step, const std::vector<double>& squares,
                     const std::vector<std::size_t>& pixels) {
  const auto k = static_cast<double>(step - origin_);
  const auto before = std::ranges::find_if(
      marks_, [&](const Mark& mark) { return mark.step > 0 && mark.step <= k / kWindow; });
  std::vector<double> logs(columns_.size());
  for (std::size_t n = 0; n < columns_.size(); ++n) {
    const double square = squares[columns_[n]];
    if (square <= least_[n]) done_[n] = true;  // nothing is left to fit
    logs[n] = square > 0 ? std::log(square) : 0;
    if (done_[n] || before == marks_.end()) continue;
    const double rate = (before->logs[n] - logs[n]) / std::log(k / before->step);
    peak_[n] = std::max(peak_[n], rate);
    if (k < kFirstSteps) continue;
    done_[n] = k >= kMostSteps || finished(n, square, rate, static_cast<double>(pixels[n]));
  }
  std::rotate(marks_.begin(), marks_.end() - 1, marks_.end());
  marks_.front() = {k, std::move(logs)};
  next_ = std::max(k + 1, std::ceil(k * kSpread));
}

void NoiseStop::archive(Archive& archive, const std::string& name) {
  for (std::size_t n = 0; n < marks_.size(); ++n) {
    const std::string at = name + "/mark" + std::to_string(n);
    archive.number(at + "/step", marks_[n].step);
    archive.values(at + "/logs", std::span<double>(marks_[n].logs));
  }
  archive.values(name + "/peak", std::span<double>(peak_));
  archive.values(name + "/least", std::span<double>(least_));
  archive.values(name + "/most", std::span<double>(most_));
  archive.flags(name + "/done", done_);
  archive.number(name + "/next", next_);
  archive.number(name + "/origin", origin_);
}

}  // namespace firm
