// Finds elements of a file whose map looks like a share of another's: lines of a spectrum that
// overlap, and were fitted as one.
#pragma once

#include <span>
#include <string>

#include "io/formats/scan.h"

namespace firm {

// The share of `other` in `own`, both along the same rays; 0: none. Looks at rays where `other` is
// strong: of a share, own / other is the same on most of them, while `own` is next to nothing where
// `other` is. Elements that are always found together look the same.
double share_of_other(std::span<const float> own, std::span<const float> other);

// Warns if the element of a scan looks like a share of another one of the same file, by one slice
// in the middle; empty: no warning.
std::string warn_cross_talk(const std::string& path, const ScanRequest& request, const Scan& scan);

}  // namespace firm
