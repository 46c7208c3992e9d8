#include "physics/attenuation.h"

#include <xraylib.h>

namespace firm {
namespace {

// What xraylib finds wrong is told by the caller, who knows where the formula comes from.
struct Failure {
  xrl_error* error = nullptr;

  Failure() = default;
  ~Failure() { xrl_clear_error(&error); }
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;
};

}  // namespace

std::optional<double> mass_attenuation(const std::string& formula, double kev) {
  Failure failure;
  const double value = CS_Total_CP(formula.c_str(), kev, &failure.error);
  if (failure.error != nullptr || !(value > 0)) return {};
  return value;
}

std::optional<std::string> element_of_channel(const std::string& channel) {
  const std::string symbol = channel.substr(0, channel.find_first_of("_- "));
  Failure failure;
  if (SymbolToAtomicNumber(symbol.c_str(), &failure.error) <= 0) return {};
  return symbol;
}

}  // namespace firm
