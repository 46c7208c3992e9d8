// Kind of the values of an XRT site, judged by the numbers.
#pragma once

#include <string>

#include "prep/diagnose/value_summary.h"

namespace firm {

enum class ValueKind {
  kPlausible,      // logarithms of transmissions, as they should be
  kCounts,         // far above any logarithm
  kTransmissions,  // 1 beside the object, lower inside: the logarithm is missing
  kNegative,       // logarithms without the minus sign
  kLogarithms,     // were logarithms already when the logarithm was taken
};

// `minus_log`: the preparation took the logarithm.
ValueKind kind_of_values(const ValueSummary& values, bool minus_log);

// Empty for plausible values.
std::string warn_kind(const ValueSummary& values, bool minus_log);

}  // namespace firm
