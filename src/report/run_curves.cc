#include "report/run_curves.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/thinned_curve.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

// A coordinator has no history but the time that its sums take.
constexpr const char* kCommon[] = {"objective", "step_norm", "constraint_violation",
                                   "kkt",       "step_size", "sum_seconds"};
constexpr const char* kError = "error_to_truth";

double number_of(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

// Enough digits for a curve.
Json rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 6);
  const double kept = std::round(value / unit) * unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", kept);
  return std::strtod(text, nullptr);
}

template <typename T>
void keep_only(const std::vector<std::size_t>& kept, std::vector<T>& values) {
  for (std::size_t k = 0; k < kept.size(); ++k) values[k] = values[kept[k]];
  values.resize(kept.size());
}

}  // namespace

void ContinuedRounds::apply(Json& line) {
  const int chunk = line.value("chunk", 0);
  if (chunk != chunk_) {
    chunk_ = chunk;
    rounds_before_ = round_ + 1;
    seconds_before_ = seconds_;
  }
  round_ = rounds_before_ + line.value("round", 0L);
  seconds_ = seconds_before_ + line.value("seconds", 0.0);
  line["round"] = round_;
  line["seconds"] = seconds_;
}

void RunCurves::add_common(const Json& line) {
  for (const char* key : kCommon) {
    if (line.contains(key)) add(line, key, "", line[key]);
  }
}

void RunCurves::add_error(const Json& line) {
  if (line.contains(kError)) add(line, kError, "", line[kError]);
}

void RunCurves::add_residuals(const Json& line) {
  if (!line.contains("residuals")) return;
  for (const auto& [site, value] : line["residuals"].items()) add(line, "residual", site, value);
}

void RunCurves::add(const Json& line, const std::string& key, const std::string& site,
                    const Json& value) {
  const auto [at, is_new] = index_.try_emplace({key, site}, curves_.size());
  if (is_new) curves_.push_back({key, site, 0, {}, {}, {}});
  Curve& curve = curves_[at->second];
  ++curve.added;
  curve.rounds.push_back(line.value("round", 0L));
  curve.seconds.push_back(line.value("seconds", 0.0));
  curve.values.push_back(number_of(value));
  if (curve.values.size() >= 2 * most_) thin(curve);
}

void RunCurves::thin(Curve& curve) const {
  const std::vector<std::size_t> kept = thinned(curve.values, curve.rounds, most_);
  keep_only(kept, curve.rounds);
  keep_only(kept, curve.seconds);
  keep_only(kept, curve.values);
}

Json RunCurves::json() const {
  Json all = Json::array();
  for (const Curve& curve : curves_) {
    Json j = {{"key", curve.key}, {"site", curve.site}};
    Json rounds = Json::array();
    Json seconds = Json::array();
    Json values = Json::array();
    for (const std::size_t k : thinned(curve.values, curve.rounds, most_)) {
      rounds.push_back(curve.rounds[k]);
      seconds.push_back(rounded(curve.seconds[k]));
      values.push_back(rounded(curve.values[k]));
    }
    j["points"] = curve.added;
    j["round"] = std::move(rounds);
    j["seconds"] = std::move(seconds);
    j["value"] = std::move(values);
    all.push_back(std::move(j));
  }
  return all;
}

}  // namespace firm
