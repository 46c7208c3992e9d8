// Normalization of detector counts by the beam.
#pragma once

#include <cstddef>
#include <vector>

#include "prep/sinogram.h"

namespace firm {

// Mean or median of several frames, each `beamlets` rows of a Block, over finite values; NaN where
// there are none. In the order of a Block of one frame; double, since differences of white and dark
// follow.
std::vector<double> average_frame(const Block& frames, std::size_t beamlets, bool median);

// Turns data of an XRT site into transmissions, by the beam of each beamlet:
//     (data - dark) / (white - dark)
// Marks values whose white is not above dark.
void divide_by_white(const std::vector<double>& white, const std::vector<double>& dark,
                     Sinogram& s);

// Turns data of an XRT site into transmissions, by the beam of each value:
//     (data - dark) / monitor
// Marks values without a positive monitor. If monitor and data have different units, divide_by_air
// must follow.
void divide_by_monitor(const Block& monitor, const std::vector<double>& dark, Sinogram& s);

// data - dark.
void subtract_dark(const std::vector<double>& dark, Sinogram& s);

// Normalizes data of an XRF site, and keeps its unit:
//     data * mean / monitor
void relate_to_monitor(const Block& monitor, double mean, Sinogram& s);

// Divides each row (angle, slice) by the straight line through its air: the means of the usable
// values among the `air` outermost beamlets on the left and on the right, each at their mean
// position. If only one side has usable values, divides by their mean. Marks rows without air.
void divide_by_air(std::size_t air, Sinogram& s);

}  // namespace firm
