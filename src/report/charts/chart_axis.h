// The axes of a chart: which values they show, where, and which of them get a tick.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/charts/chart.h"

namespace firm {

// Finite and not so large or small that differences overflow; on a log axis also positive.
bool drawable(double value, bool log);

// The axis's range, or that of the values that can be drawn and 4 % more on either side. One value
// only gets room on both sides; no value at all, a range of one unit or decade.
ValueRange shown_range(const Axis& axis, std::span<const double> values);

struct Tick {
  double value = 0;
  std::string label = {};  // empty: a small tick
};

// At most `most`, at least 2, labelled ticks at 1, 2 or 5 times a power of ten.
std::vector<Tick> linear_ticks(ValueRange range, int most);

// Labelled ticks at powers of ten, small ones between. Where they would be few, also 2 and 5 times
// the powers of ten are labelled, or in a small range the numbers of a linear axis. Not more than
// `most`, at least 2, labels.
std::vector<Tick> log_ticks(ValueRange range, int most);

// From values to pixels.
class Scale {
 public:
  Scale() = default;
  // The pixels are those of the range's ends, in the order low, high.
  Scale(ValueRange range, bool log, double low_pixel, double high_pixel);

  bool log() const { return log_; }
  ValueRange range() const { return range_; }
  // Of a drawable value. Values far from the range are brought nearer, as cairo cannot count
  // further than some millions.
  double pixel(double value) const;

 private:
  ValueRange range_{0, 1};
  bool log_ = false;
  double low_pixel_ = 0;
  double high_pixel_ = 1;
};

}  // namespace firm
