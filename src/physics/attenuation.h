// Mass attenuation coefficients, from the tables of xraylib.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace firm {

// Total coefficient (photoelectric absorption and scattering) in cm^2/g of an element ("W") or a
// compound ("Fe2O3", "Ca5(PO4)3") at an energy in keV. None when the formula is invalid, or the
// tables do not reach this energy.
std::optional<double> mass_attenuation(const std::string& formula, double kev);

// Density of an element as a solid (as a gas for gases), g/cm^3. None for an unknown symbol.
std::optional<double> element_density(const std::string& symbol);

// Symbols of the elements that the tables have: "H", "He", ...
const std::vector<std::string>& element_symbols();

// The element of a channel of a spectrum, which is named after the element ("Fe"), a shell ("Fe_K",
// "Pt_L", "Pb_M") or a line ("Fe_Ka1", "Pt_Lb"). None for scattering ("COMPTON_AMPLITUDE") and
// for pile-up ("Fe_Fe", "Fe_Ca", "Fe_Ka1-Fe_Ka1").
std::optional<std::string> element_of_channel(const std::string& channel);

}  // namespace firm
