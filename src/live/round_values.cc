#include "live/round_values.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace firm {
namespace {

using Json = nlohmann::json;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kOther = "other";  // an image without data, and so without residual

// `fit` of a line of the history; null if the line has none.
Json fits_in(const std::string& line) {
  if (line.find("\"fit\"") == std::string::npos) return {};  // parses no line without need
  return Json::parse(line).value("fit", Json());
}

double fit_of(const Json& fits, const std::string& name) {
  if (!fits.is_object() || !fits.contains(name) || !fits[name].is_number()) return kUnknown;
  return fits[name];
}

}  // namespace

std::vector<CurveName> round_curves(const std::vector<std::string>& names) {
  std::vector<CurveName> curves;
  for (const char* key :
       {"objective", "step_norm", "constraint_violation", "kkt", "step_size", "error_to_truth"}) {
    curves.push_back({key, ""});
  }
  for (const char* key : {"residual", "fit"}) {
    for (const std::string& name : names) {
      if (name != kOther) curves.push_back({key, name});
    }
  }
  return curves;
}

std::vector<double> round_values(const RoundRecord& r, const std::string& line,
                                 const std::vector<std::string>& names) {
  std::vector<double> values = {r.objective,
                                r.step_norm,
                                r.violation.value_or(kUnknown),
                                r.kkt,
                                r.step_size > 0 ? r.step_size : kUnknown,
                                r.error.value_or(kUnknown)};
  for (std::size_t v = 0; v < names.size(); ++v) {
    if (names[v] != kOther) values.push_back(r.residuals[v]);
  }
  const Json fits = fits_in(line);
  for (const std::string& name : names) {
    if (name != kOther) values.push_back(fit_of(fits, name));
  }
  return values;
}

}  // namespace firm
