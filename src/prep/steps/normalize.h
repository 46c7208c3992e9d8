// From what a detector has counted to what is a property of the object.
#pragma once

#include <cstddef>
#include <vector>

#include "prep/sinogram.h"

namespace firm {

// One frame out of several, each `beamlets` rows of a Block: the mean, or the median, of what is
// finite; NaN where nothing is. In the order of a Block of one frame; double, since differences of
// white and dark follow.
std::vector<double> average_frame(const Block& frames, std::size_t beamlets, bool median);

// Data of an XRT site to transmissions, by the beam of each beamlet:
//     (data - dark) / (white - dark)
// What has white that is not above dark is marked.
void divide_by_white(const std::vector<double>& white, const std::vector<double>& dark,
                     Sinogram& s);

// The same by the beam of each value, of the shape of the data:
//     (data - dark) / monitor
// What has no positive monitor is marked. The unit of the monitor may be another than that of the
// data: then divide_by_air makes transmissions of it.
void divide_by_monitor(const Block& monitor, const std::vector<double>& dark, Sinogram& s);

// data - dark.
void subtract_dark(const std::vector<double>& dark, Sinogram& s);

// Data of an XRF site, so that its unit stays:
//     data * mean / monitor
void relate_to_monitor(const Block& monitor, double mean, Sinogram& s);

// Divides each row (angle, slice) by the straight line through its air: the means of the usable
// ones among its `air` outermost beamlets on the left and on the right, each at the mean of their
// positions; where only one side has any, by the constant. A row without air is marked.
void divide_by_air(std::size_t air, Sinogram& s);

}  // namespace firm
