#include "run/shard/shard_rounds.h"

#include <cmath>
#include <limits>
#include <utility>

#include "firm/error.h"

namespace firm {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::optional<double> known(double number) {
  return std::isnan(number) ? std::nullopt : std::optional<double>(number);
}

// The norm over all shards is unknown if that of one shard is.
template <typename Numbers>
std::optional<double> norm(const Numbers& numbers) {
  double sum = 0;
  for (const auto& [shard, number] : numbers) {
    if (!number) return {};
    sum += *number * *number;
  }
  return std::sqrt(sum);
}

// Root of the sum over slices, by slot.
std::vector<double> roots(const std::map<std::size_t, std::map<std::size_t, double>>& by_slot) {
  std::vector<double> all;
  for (const auto& [slot, squares] : by_slot) {
    double sum = 0;
    for (const auto& [slice, square] : squares) sum += square;
    all.push_back(std::sqrt(sum));
  }
  return all;
}

}  // namespace

ShardRounds::ShardRounds(std::size_t variables, std::vector<double> numbers)
    : variables_(variables), numbers_(std::move(numbers)) {
  FIRM_CHECK(numbers_.size() % stride() == 0);
}

void ShardRounds::add(const RoundRecord& record) {
  FIRM_CHECK(record.residuals.size() == variables_ && record.noise.size() == variables_);
  numbers_.push_back(record.violation.value_or(kUnknown));
  numbers_.push_back(record.error.value_or(kUnknown));
  numbers_.insert(numbers_.end(), record.residuals.begin(), record.residuals.end());
  numbers_.insert(numbers_.end(), record.noise.begin(), record.noise.end());
}

RoundRecord ShardRounds::at(std::size_t k) const {
  FIRM_CHECK(k < count());
  const double* numbers = numbers_.data() + k * stride();
  RoundRecord record;
  record.violation = known(numbers[0]);
  record.error = known(numbers[1]);
  record.residuals.assign(numbers + 2, numbers + 2 + variables_);
  record.noise.assign(numbers + 2 + variables_, numbers + stride());
  return record;
}

void MergedRound::add(const Shard& shard, const std::vector<Variable>& variables,
                      const RoundRecord& own) {
  for (std::size_t v = 0; v < variables.size(); ++v) {
    names_[variables[v].slot] = variables[v].name;
    squares_[variables[v].slot][shard.slices.first] = own.residuals[v] * own.residuals[v];
    noise_[variables[v].slot][shard.slices.first] = own.noise[v] * own.noise[v];
  }
  const std::pair place(shard.sites.front(), shard.slices.first);
  errors_[place] = own.error;
  violations_[shard.slices.first] = own.violation;
}

std::vector<std::string> MergedRound::names() const {
  std::vector<std::string> names;
  for (const auto& [slot, name] : names_) names.push_back(name);
  return names;
}

RoundRecord MergedRound::record(const RoundRecord& common) const {
  RoundRecord record = common;
  record.error = norm(errors_);
  record.violation = norm(violations_);
  record.residuals = roots(squares_);
  record.noise = roots(noise_);
  return record;
}

}  // namespace firm
