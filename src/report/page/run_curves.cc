#include "report/page/run_curves.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/page/thinned_curve.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCommon[] = {"objective", "step_norm", "constraint_violation", "kkt",
                                   "step_size"};
constexpr const char* kError = "error_to_truth";

double number_of(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

// Rounds to seven digits, which are enough for a curve.
Json rounded(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 7);
  std::from_chars(text, end.ptr, value);
  return value;
}

template <typename T>
void keep_only(const std::vector<std::size_t>& kept, std::vector<T>& values) {
  for (std::size_t k = 0; k < kept.size(); ++k) values[k] = values[kept[k]];
  values.resize(kept.size());
}

}  // namespace

void ChunkTimeline::start_chunk(int chunk) {
  if (chunk == chunk_) return;
  chunk_ = chunk;
  rounds_before_ = round_ + 1;
  seconds_before_ = seconds_;
  starts_.push_back({chunk, rounds_before_, seconds_before_});
}

void ChunkTimeline::apply(int chunk, long& round, double& seconds) {
  start_chunk(chunk);
  round = round_ = rounds_before_ + round;
  seconds = seconds_ = seconds_before_ + seconds;
}

void ChunkTimeline::apply(Json& line) {
  long round = line.value("round", 0L);
  double seconds = line.value("seconds", 0.0);
  apply(line.value("chunk", 0), round, seconds);
  line["round"] = round;
  line["seconds"] = seconds;
}

Json residual_targets_json(const std::vector<ChunkStart>& starts,
                           const std::vector<SiteTargets>& chunks) {
  std::map<std::string, Json> curves;
  for (const ChunkStart& start : starts) {
    const auto chunk = static_cast<std::size_t>(start.chunk);
    if (chunk >= chunks.size()) continue;
    for (const auto& [site, target] : chunks[chunk]) {
      Json& curve = curves.try_emplace(site, Json{{"site", site}}).first->second;
      curve["round"].push_back(start.round);
      curve["seconds"].push_back(rounded(start.seconds));
      curve["value"].push_back(rounded(target));
    }
  }
  Json all = Json::array();
  for (auto& [site, curve] : curves) all.push_back(std::move(curve));
  return all;
}

std::size_t RunCurves::find(const CurveName& name) {
  const auto at = std::find_if(curves_.begin(), curves_.end(),
                               [&](const Curve& curve) { return curve.name == name; });
  if (at != curves_.end()) return static_cast<std::size_t>(at - curves_.begin());
  curves_.push_back({name});
  return curves_.size() - 1;
}

void RunCurves::add(std::size_t index, long round, double seconds, double value) {
  Curve& curve = curves_[index];
  ++curve.added;
  curve.rounds.push_back(round);
  curve.seconds.push_back(seconds);
  curve.values.push_back(value);
  if (curve.values.size() >= 2 * most_) thin(curve);
}

void RunCurves::add(const Json& line, const CurveName& name, const Json& value) {
  add(find(name), line.value("round", 0L), line.value("seconds", 0.0), number_of(value));
}

void RunCurves::add_common(const Json& line) {
  for (const char* key : kCommon) {
    if (line.contains(key)) add(line, {key, ""}, line[key]);
  }
}

void RunCurves::add_error(const Json& line) {
  if (line.contains(kError)) add(line, {kError, ""}, line[kError]);
}

void RunCurves::add_sites(const Json& line) {
  for (const auto& [group, key] : {std::pair{"residuals", "residual"}, std::pair{"fit", "fit"}}) {
    if (!line.contains(group)) continue;
    for (const auto& [site, value] : line[group].items()) add(line, {key, site}, value);
  }
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
    if (curve.added == 0) continue;
    Json j = {{"key", curve.name.key}, {"site", curve.name.site}};
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
