// The levels of a chart, with labels where they hide little.
#pragma once

#include "report/charts/chart_line.h"

namespace firm {

void draw_level_lines(Canvas& canvas, const Chart& chart, const Scales& scales);

// After the curves. Each label is above or below its line, right, left or in the middle: the first
// of these places in which there is least of curves and other labels.
void draw_level_labels(Canvas& canvas, const Chart& chart, const Scales& scales);

}  // namespace firm
