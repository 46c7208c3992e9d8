// Matter of the phantoms. Self-absorption needs substances and lines, not only coefficients.
#pragma once

#include <string>
#include <vector>

#include "firm/block.h"
#include "firm/fluorescence.h"
#include "sim/phantom.h"

namespace firm {

struct Matter {
  double energy = 0;                    // keV, of the beam
  std::vector<std::string> substances;  // of the elements: "CaCO3"
  std::vector<std::string> lines;       // that the detector measures: "Ca Ka"
  std::vector<double> densities;        // g/cm^3 where the phantom is 1; empty: it has densities
  std::string matrix;                   // of matter that XRF does not see; empty: none
};

// `preset`: one of phantom_names().
Matter matter_of(const std::string& preset);

// Gives a phantom the densities, coefficients and energy of matter. Attenuation of XRT becomes that
// of the new elements.
void make_real(const Matter& matter, Phantom& phantom);

// Self-absorption of each element, with a detector towards larger beamlets.
std::vector<Fluorescence> fluorescence_of(const Matter& matter);

// Size of an image, in cm, such that about half of the fluorescence reaches the detector.
double absorbing_field(const std::string& preset);

}  // namespace firm
