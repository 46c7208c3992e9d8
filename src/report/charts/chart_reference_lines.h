// Reference lines of a chart, with labels placed where they cover little.
#pragma once

#include "report/charts/chart_line.h"

namespace firm {

void draw_reference_lines(Canvas& canvas, const Chart& chart, const Scales& scales);

// Call it after drawing the curves. Puts each label above or below its line, at the right, at the
// left or in the middle: where it covers least of the curves and other labels.
void draw_reference_labels(Canvas& canvas, const Chart& chart, const Scales& scales);

}  // namespace firm
