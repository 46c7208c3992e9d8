// Axes of a chart: the range of values they show, their ticks, and the mapping to pixels.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/charts/chart.h"

namespace firm {

// Whether a value can be drawn: it is finite, differences do not overflow, and on a log axis it is
// positive.
bool drawable(double value, bool log);

// The range given by the axis, or the range of all drawable values plus 4 % on either side. A
// single value gets space on both sides; without values the range is one unit or one decade.
ValueRange shown_range(const Axis& axis, std::span<const double> values);

struct Tick {
  double value = 0;
  std::string label = {};  // empty: a small tick
};

// Labelled ticks at 1, 2 or 5 times a power of ten, at most `most`, which must be 2 or more.
std::vector<Tick> linear_ticks(ValueRange range, int most);

// Labelled ticks at powers of ten and small ticks between them. If there are few powers of ten,
// also labels 2 and 5 times a power, or in a small range uses the ticks of a linear axis. At most
// `most` labels, which must be 2 or more.
std::vector<Tick> log_ticks(ValueRange range, int most);

// Maps values to pixels.
class Scale {
 public:
  Scale() = default;
  // `low_pixel` and `high_pixel` are the positions of range.low and range.high.
  Scale(ValueRange range, bool log, double low_pixel, double high_pixel);

  bool log() const { return log_; }
  ValueRange range() const { return range_; }
  // Position of a drawable value. Clamped far outside of the range, because cairo cannot handle
  // coordinates beyond some millions.
  double pixel(double value) const;

 private:
  ValueRange range_{0, 1};
  bool log_ = false;
  double low_pixel_ = 0;
  double high_pixel_ = 1;
};

}  // namespace firm
