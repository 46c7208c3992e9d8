// A scan whose values are in the memory of the caller.
#pragma once

#include <string>

#include "firm/site_arrays.h"
#include "io/formats/scan.h"

namespace firm {

// `name`: for errors. The arrays must outlive the scan. Throws firm::Error if their shapes do not
// fit.
Scan array_scan(const std::string& name, const SiteArrays& arrays);

// Writes the arrays as a Data Exchange file, which gives the same scan.
void write_arrays(const std::string& path, const std::string& name, const SiteArrays& arrays);

}  // namespace firm
