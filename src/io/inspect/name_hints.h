// Hints in the names of files, datasets and titles.
#pragma once

#include <optional>
#include <string>

namespace firm {

// The element that a name mentions: "Fe" for "Fe.npy", "xrf_Fe_K", "FeKa-maps", "fe" and "iron".
// None when it mentions no element, or several.
std::optional<std::string> element_in_name(const std::string& name);

// Whether a name says that the file holds transmission ("xrt-2", "transmission") or fluorescence
// ("xrf-1", "fluo").
bool names_transmission(const std::string& name);
bool names_fluorescence(const std::string& name);

// Whether a counter of a scan measures the beam behind the object: "DS_IC".
bool is_transmission_counter(const std::string& name);

}  // namespace firm
