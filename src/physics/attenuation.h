// Mass attenuation coefficients, from the tables of xraylib.
#pragma once

#include <optional>
#include <string>

namespace firm {

// Total (photoelectric absorption and scattering), in cm^2/g, of an element ("W") or a compound
// ("Fe2O3", "SiO2"; brackets as in "Ca5(PO4)3") at an energy in keV. Nothing when it is no formula,
// or the tables have nothing at this energy.
std::optional<double> mass_attenuation(const std::string& formula, double kev);

// The element of a channel of a spectrum: "Fe" of "Fe", a shell ("Fe_K", "Pt_L", "Pb_M") or a line
// ("Fe_Ka1", "Pt_Lb"); nothing for others: scattering ("COMPTON_AMPLITUDE"), pile-up ("Fe_Fe",
// "Fe_Ca", "Fe_Ka1-Fe_Ka1").
std::optional<std::string> element_of_channel(const std::string& channel);

}  // namespace firm
