#include "align/profile.h"

#include <algorithm>
#include <cmath>

#include "align/small_fit.h"
#include "firm/error.h"

namespace firm {

std::pair<std::size_t, std::size_t> block_of(std::size_t block, std::size_t angles) {
  return {block * angles / kBlocks, (block + 1) * angles / kBlocks};
}

double jackknife(const std::vector<double>& without_block) {
  const auto count = static_cast<double>(without_block.size());
  double mean = 0;
  for (const double x : without_block) mean += x / count;
  double squares = 0;
  for (const double x : without_block) squares += (x - mean) * (x - mean);
  return std::sqrt((count - 1) / count * squares);
}

void Profile::add(double value, std::vector<double> misfits) {
  FIRM_CHECK(misfits.size() == kBlocks);
  const auto place = std::ranges::lower_bound(trials_, value, {}, &Trial::value);
  trials_.insert(place, {value, std::move(misfits)});
}

double Profile::total(const Trial& trial, std::size_t without) {
  double sum = 0;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    if (b != without) sum += trial.misfits[b];
  }
  return sum;
}

std::size_t Profile::best(std::size_t without) const {
  std::size_t at = 0;
  for (std::size_t k = 1; k < trials_.size(); ++k) {
    if (total(trials_[k], without) < total(trials_[at], without)) at = k;
  }
  return at;
}

double Profile::minimum_without(std::size_t block) const {
  const std::size_t at = best(block);
  if (at == 0 || at + 1 == trials_.size()) return trials_[at].value;
  const double x = trials_[at].value;
  const double left = x - trials_[at - 1].value;
  const double right = trials_[at + 1].value - x;
  const double y = total(trials_[at], block);
  const double up_left = total(trials_[at - 1], block) - y;
  const double up_right = total(trials_[at + 1], block) - y;
  // Newton's step of the parabola through the three points.
  const double slope = (up_right * left / right - up_left * right / left) / (left + right);
  const double curvature = 2 * (up_right / right + up_left / left) / (left + right);
  if (curvature <= 0) return x;
  return x - std::clamp(slope / curvature, -right / 2, left / 2);
}

Found Profile::minimum() const {
  FIRM_CHECK(!trials_.empty());
  std::vector<double> without;
  for (std::size_t b = 0; b < kBlocks; ++b) without.push_back(minimum_without(b));
  Found found{minimum_without(kBlocks), jackknife(without)};
  for (const Trial& trial : trials_) {
    if (significance(trial.value) >= 2) continue;
    found.uncertainty = std::max(found.uncertainty, std::abs(trial.value - found.value) / 2);
  }
  return found;
}

std::optional<double> Profile::vertex_without(std::size_t block) const {
  const double low = trials_.front().value;
  const double high = trials_.back().value;
  const double middle = (low + high) / 2;
  const double half = (high - low) / 2;
  std::vector<double> basis;
  std::vector<double> misfits;
  for (const Trial& trial : trials_) {
    const double x = (trial.value - middle) / half;
    basis.insert(basis.end(), {1.0, x, x * x});
    misfits.push_back(total(trial, block));
  }
  const std::vector<double> fit =
      weighted_fit(basis, 3, misfits, std::vector<double>(trials_.size(), 1.0));
  if (fit[2] <= 0) return {};
  const double x = -fit[1] / (2 * fit[2]);
  if (std::abs(x) > 1) return {};
  return middle + half * x;
}

int Profile::edge() const {
  const std::size_t at = best(kBlocks);
  if (at == 0) return -1;
  return at + 1 == trials_.size() ? 1 : 0;
}

std::optional<Found> Profile::vertex(double reach) const {
  Profile near;
  const double middle = trials_[best(kBlocks)].value;
  for (const Trial& trial : trials_) {
    if (std::abs(trial.value - middle) <= reach) near.trials_.push_back(trial);
  }
  return near.vertex();
}

std::optional<Found> Profile::vertex() const {
  const std::optional<double> all = vertex_without(kBlocks);
  if (!all) return {};
  std::vector<double> without;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const std::optional<double> value = vertex_without(b);
    if (!value) return {};
    without.push_back(*value);
  }
  // Leaves out trials one by one, to measure their scatter.
  std::vector<double> of_trials;
  for (std::size_t k = 0; k < trials_.size(); ++k) {
    Profile fewer = *this;
    fewer.trials_.erase(fewer.trials_.begin() + static_cast<std::ptrdiff_t>(k));
    of_trials.push_back(fewer.vertex_without(kBlocks).value_or(*all));
  }
  return Found{*all, std::hypot(jackknife(without), jackknife(of_trials))};
}

double Profile::significance(double value) const {
  const Trial& low = trials_[best(kBlocks)];
  const auto at = std::ranges::find(trials_, value, &Trial::value);
  FIRM_CHECK(at != trials_.end());
  std::vector<double> without;
  double drop = 0;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    drop += at->misfits[b] - low.misfits[b];
    without.push_back(total(*at, b) - total(low, b));
  }
  const double deviation = jackknife(without);
  return deviation > 0 ? drop / deviation : 0;
}

}  // namespace firm
