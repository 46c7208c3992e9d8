#include "report/charts/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "firm/error.h"

namespace firm {
namespace {

constexpr double kLargest = 1e250;
constexpr double kSmallest = 1e-250;
constexpr double kPadding = 0.04;  // fraction of the range, on either side
constexpr double kFlat = 1e-9;     // a range smaller than this fraction of its values is empty
constexpr double kRounding = 1e-9;

double largest_of(ValueRange range) { return std::max(std::abs(range.low), std::abs(range.high)); }

bool is_empty(ValueRange range, bool log) {
  if (log) return !(std::log10(range.high) - std::log10(range.low) > kFlat);
  return !(range.high - range.low > std::max(kSmallest, kFlat * largest_of(range)));
}

ValueRange widened(ValueRange range) {
  double more = kPadding * (range.high - range.low);
  if (is_empty(range, false)) more = largest_of(range) > kSmallest ? largest_of(range) / 2 : 1;
  return {range.low - more, range.high + more};
}

ValueRange log_widened(ValueRange range) {
  const double low = std::log10(range.low);
  const double high = std::log10(range.high);
  const double more = is_empty(range, true) ? 0.5 : kPadding * (high - low);
  return {std::pow(10, low - more), std::pow(10, high + more)};
}

std::string with_minus_signs(std::string number) {
  for (auto at = number.find('-'); at != std::string::npos; at = number.find('-')) {
    number.replace(at, 1, "\u2212");
  }
  return number;
}

std::string power_of_ten(int exponent) {
  return with_minus_signs(fmt::format("10^{{{}}}", exponent));
}

std::string decimal(double value, int decimals) {
  return with_minus_signs(fmt::format("{:.{}f}", value, decimals));
}

// Labels multiples of 10^exponent. Very large and very small numbers share the power of ten of the
// largest one, unless that makes them longer.
void label_multiples(std::vector<Tick>& ticks, int exponent) {
  double largest = 0;
  for (const Tick& tick : ticks) largest = std::max(largest, std::abs(tick.value));
  const int order = largest > 0 ? static_cast<int>(std::floor(std::log10(largest) + kRounding)) : 0;
  const int digits = order - exponent;  // decimals of the factor before the power of ten
  const bool plain = (order >= -3 && order <= 4) || (order > 4 && order < 15 && digits > 4);
  for (Tick& tick : ticks) {
    if (plain) {
      tick.label = decimal(tick.value, std::max(0, -exponent));
    } else if (tick.value == 0) {
      tick.label = decimal(0, 0);
    } else {
      tick.label = decimal(tick.value / std::pow(10, order), std::max(0, digits)) + "\u00d7" +
                   power_of_ten(order);
    }
  }
}

// First and last multiple of a step in a range, counted in steps.
struct StepRange {
  double first = 0;
  double last = 0;
  double count() const { return last - first + 1; }
};

StepRange steps_in(ValueRange range, double step) {
  return {std::ceil(range.low / step - kRounding), std::floor(range.high / step + kRounding)};
}

// Powers of ten within the range.
StepRange decades(ValueRange range) {
  return steps_in({std::log10(range.low), std::log10(range.high)}, 1);
}

// digit * 10^exponent, rounded at most once as long as the power is exact.
double times_power(double digit, int exponent) {
  return exponent < 0 ? digit / std::pow(10, -exponent) : digit * std::pow(10, exponent);
}

bool contains(ValueRange range, double value) {
  return value >= range.low * (1 - kRounding) && value <= range.high * (1 + kRounding);
}

// Ticks at 1, 2, .. 9 times powers of ten in the range; those with a digit in `labelled` get a
// label. Labels are plain numbers if they are short and not only powers of ten.
std::vector<Tick> digit_ticks(ValueRange range, std::span<const int> labelled) {
  std::vector<Tick> ticks;
  const bool plain = labelled.size() > 1 && range.low >= 0.0099 && range.high <= 10001;
  const StepRange all = decades(range);
  for (double decade = all.first - 1; decade <= all.last; ++decade) {
    const int exponent = static_cast<int>(decade);
    for (int digit = 1; digit < 10; ++digit) {
      Tick tick{times_power(digit, exponent)};
      if (!contains(range, tick.value)) continue;
      if (std::find(labelled.begin(), labelled.end(), digit) != labelled.end()) {
        const std::string factor = digit > 1 ? fmt::format("{}\u00d7", digit) : "";
        tick.label = plain ? fmt::format("{:g}", tick.value) : factor + power_of_ten(exponent);
      }
      ticks.push_back(tick);
    }
  }
  return ticks;
}

// Labels every `stride`-th power of ten; the others are small ticks if they are few.
std::vector<Tick> decade_ticks(ValueRange range, int stride) {
  std::vector<Tick> ticks;
  const StepRange all = decades(range);
  for (int k = static_cast<int>(all.first); k <= static_cast<int>(all.last); ++k) {
    const bool labelled = k % stride == 0;
    if (labelled || stride <= 5) {
      ticks.push_back({std::pow(10, k), labelled ? power_of_ten(k) : ""});
    }
  }
  return ticks;
}

int label_count(const std::vector<Tick>& ticks) {
  return static_cast<int>(
      std::count_if(ticks.begin(), ticks.end(), [](const Tick& t) { return !t.label.empty(); }));
}

// Ticks of a range with at most two powers of ten.
std::vector<Tick> narrow_log_ticks(ValueRange range, int most) {
  const std::vector<std::vector<int>> choices = {{1, 2, 5}, {1, 3}, {1}};
  for (const std::vector<int>& labelled : choices) {
    std::vector<Tick> ticks = digit_ticks(range, labelled);
    const int count = label_count(ticks);
    if (count < std::min(3, most)) break;
    if (count <= most) return ticks;
  }
  return linear_ticks(range, most);
}

}  // namespace

bool drawable(double value, bool log) {
  if (log) return value >= kSmallest && value <= kLargest;
  return std::abs(value) <= kLargest;
}

ValueRange shown_range(const Axis& axis, std::span<const double> values) {
  if (axis.range && drawable(axis.range->low, axis.log) && drawable(axis.range->high, axis.log) &&
      !is_empty(*axis.range, axis.log)) {
    return *axis.range;
  }
  ValueRange range{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
  for (const double v : values) {
    if (!drawable(v, axis.log)) continue;
    range = {std::min(range.low, v), std::max(range.high, v)};
  }
  if (range.low > range.high) return axis.log ? ValueRange{1, 10} : ValueRange{0, 1};
  return axis.log ? log_widened(range) : widened(range);
}

std::vector<Tick> linear_ticks(ValueRange range, int most) {
  FIRM_CHECK(most >= 2 && range.high > range.low);
  const double span = range.high - range.low;
  const int exponent = static_cast<int>(std::floor(std::log10(span / most)));
  // The last step is so large that at most most / 2 ticks fit into the range.
  for (const int digit : {1, 2, 5, 10, 20}) {
    const StepRange steps = steps_in(range, times_power(digit, exponent));
    if (steps.count() > most) continue;
    std::vector<Tick> ticks;
    for (double k = steps.first; k <= steps.last; ++k) {
      ticks.push_back({times_power(k * digit, exponent) + 0.0});  // no negative zero
    }
    label_multiples(ticks, digit < 10 ? exponent : exponent + 1);
    return ticks;
  }
  return {};
}

std::vector<Tick> log_ticks(ValueRange range, int most) {
  FIRM_CHECK(most >= 2 && range.low > 0 && range.high > range.low);
  const StepRange all = decades(range);
  if (all.count() < 2 || std::log10(range.high) - std::log10(range.low) < 1.5) {
    return narrow_log_ticks(range, most);
  }
  if (all.count() <= most) return digit_ticks(range, std::array{1});
  for (const int stride : {2, 3, 4, 5, 10, 20, 50, 100}) {
    std::vector<Tick> ticks = decade_ticks(range, stride);
    if (label_count(ticks) <= most) return ticks;
  }
  return decade_ticks(range, 500);
}

Scale::Scale(ValueRange range, bool log, double low_pixel, double high_pixel)
    : range_(range), log_(log), low_pixel_(low_pixel), high_pixel_(high_pixel) {}

double Scale::pixel(double value) const {
  const auto position = [&](double v) { return log_ ? std::log10(v) : v; };
  const double low = position(range_.low);
  const double fraction = (position(value) - low) / (position(range_.high) - low);
  return std::clamp(low_pixel_ + fraction * (high_pixel_ - low_pixel_), -1e5, 1e5);
}

}  // namespace firm
