#include "run/shard/part_rounds.h"

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

// Unknown as soon as one of the terms is.
void add_square(std::optional<double> term, std::optional<double>& sum) {
  if (sum && term) {
    *sum += *term * *term;
  } else {
    sum.reset();
  }
}

std::optional<double> root(std::optional<double> square) {
  return square ? std::optional<double>(std::sqrt(*square)) : std::nullopt;
}

}  // namespace

PartRounds::PartRounds(std::size_t variables, std::vector<double> numbers)
    : variables_(variables), numbers_(std::move(numbers)) {
  FIRM_CHECK(numbers_.size() % stride() == 0);
}

void PartRounds::add(const RoundRecord& record) {
  FIRM_CHECK(record.residuals.size() == variables_);
  numbers_.push_back(record.violation.value_or(kUnknown));
  numbers_.push_back(record.error.value_or(kUnknown));
  numbers_.insert(numbers_.end(), record.residuals.begin(), record.residuals.end());
}

RoundRecord PartRounds::at(std::size_t k) const {
  FIRM_CHECK(k < count());
  const double* numbers = numbers_.data() + k * stride();
  RoundRecord record;
  record.violation = known(numbers[0]);
  record.error = known(numbers[1]);
  record.residuals.assign(numbers + 2, numbers + stride());
  return record;
}

void JoinedRound::add(const Part& part, const std::vector<Variable>& variables,
                      const RoundRecord& own) {
  for (std::size_t v = 0; v < variables.size(); ++v) {
    Residual& residual = residuals_[variables[v].slot];
    residual.name = variables[v].name;
    residual.squared += own.residuals[v] * own.residuals[v];
  }
  add_square(own.error, error_squared_);
  // Sites with the same slices have the same.
  if (part.site == 0) add_square(own.violation, violation_squared_);
}

std::vector<std::string> JoinedRound::names() const {
  std::vector<std::string> names;
  for (const auto& [slot, residual] : residuals_) names.push_back(residual.name);
  return names;
}

RoundRecord JoinedRound::record(const RoundRecord& common) const {
  RoundRecord record = common;
  record.error = root(error_squared_);
  record.violation = root(violation_squared_);
  record.residuals.clear();
  for (const auto& [slot, residual] : residuals_) {
    record.residuals.push_back(std::sqrt(residual.squared));
  }
  return record;
}

}  // namespace firm
