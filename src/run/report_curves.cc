#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "report/thinned_curve.h"
#include "run/report_parts.h"

namespace firm {
namespace {

constexpr std::size_t kMostPoints = 2000;
// Of a round of all sites together.
constexpr const char* kCommon[] = {"objective", "step_norm", "constraint_violation", "kkt",
                                   "step_size"};
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

class Curves {
 public:
  void add(const Json& line, const char* key) {
    if (line.contains(key)) add(line, key, "", line[key]);
  }
  void add_residuals(const Json& line) {
    if (!line.contains("residuals")) return;
    for (const auto& [site, value] : line["residuals"].items()) {
      add(line, "residual", site, value);
    }
  }

  Json json() const {
    Json all = Json::array();
    for (const Curve& curve : curves_) {
      Json j = {{"key", curve.key}, {"site", curve.site}};
      Json rounds = Json::array();
      Json seconds = Json::array();
      Json values = Json::array();
      for (const std::size_t k : thinned(curve.values, kMostPoints)) {
        rounds.push_back(curve.rounds[k]);
        seconds.push_back(rounded(curve.seconds[k]));
        values.push_back(rounded(curve.values[k]));
      }
      j["points"] = curve.values.size();
      j["round"] = std::move(rounds);
      j["seconds"] = std::move(seconds);
      j["value"] = std::move(values);
      all.push_back(std::move(j));
    }
    return all;
  }

 private:
  struct Curve {
    std::string key;
    std::string site;
    std::vector<long> rounds;
    std::vector<double> seconds;
    std::vector<double> values;
    int chunk = 0;
    long rounds_before = 0;
    double seconds_before = 0;
  };

  // Chunks of slices are solved one after the other, each from round 0 and second 0.
  void add(const Json& line, const std::string& key, const std::string& site, const Json& value) {
    const auto [at, is_new] = index_.try_emplace({key, site}, curves_.size());
    if (is_new) {
      curves_.push_back({});
      curves_.back().key = key;
      curves_.back().site = site;
    }
    Curve& curve = curves_[at->second];
    const int chunk = line.value("chunk", 0);
    if (chunk != curve.chunk) {
      curve.chunk = chunk;
      curve.rounds_before = curve.rounds.back() + 1;
      curve.seconds_before = curve.seconds.back();
    }
    curve.rounds.push_back(curve.rounds_before + line.value("round", 0L));
    curve.seconds.push_back(curve.seconds_before + line.value("seconds", 0.0));
    curve.values.push_back(number_of(value));
  }

  std::vector<Curve> curves_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
};

}  // namespace

Json curves_json(const std::vector<std::string>& history_files) {
  Curves curves;
  for (const std::string& file : history_files) {
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) {
      const Json line = Json::parse(text, nullptr, false);
      if (!line.is_object()) break;  // a line that was cut off
      if (file == history_files.front()) {
        for (const char* key : kCommon) curves.add(line, key);
      }
      // A site of a federation knows no error but its own.
      if (history_files.size() == 1) curves.add(line, kError);
      curves.add_residuals(line);
    }
  }
  return curves.json();
}

}  // namespace firm
