// The parts of the phantom "rod": a borosilicate glass rod, which XRF does not see, traces of zinc
// in it, and a tungsten and a gold wire beside it. Fluorescence of all three elements is excited at
// 12.1 keV.
//
// Slices are similar, but not equal. With the height z, from -1 to 1, the wires lean, tungsten gets
// thicker and gold thinner, and the glass tapers; a part of the glass that is rich in zinc ends
// above and below. So the mass of every element changes with z: by 10 % from the middle to an end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/shapes.h"

namespace firm {

inline constexpr double kRodEnergy = 12.1;  // keV
// Side of the image for which wires let 9 % (W) and 12 % (Au) of the beam through, at z = 0.
inline constexpr double kRodField = 200e-4;  // cm

struct RodPart {
  std::string title;
  double coefficient = 0;  // cm^2/g, from the tables of xraylib
  double density = 0;      // g/cm^3, where shapes add up to 1
  // Shapes for n x n pixels at a height. Beyond 1.5, either way, slices stay the same.
  std::function<Shapes(int n, double z)> shapes;
};

// W, Au and Zn.
std::vector<RodPart> rod_elements();
RodPart rod_glass();

}  // namespace firm
