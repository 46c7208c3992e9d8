// Privacy of self-absorption in a federation: says what sites learn, and refuses studies that
// reveal too much (docs/federation.md).
//
// A site needs the attenuation of all elements at two energies. It alone opens those sums. Each is
// one equation per pixel for the images of the others: a site that opens as many energies as there
// are other XRF sites could solve for their images.
#pragma once

#include <string>
#include <vector>

#include "firm/options.h"
#include "io/study/study_file.h"

namespace firm {

// Throws firm::Error (kUsage) if a site would learn too much, or if the study does not say how the
// first T is made: with absorption.start = "xrt" the site of XRT publishes an image.
void check_absorption_privacy(const StudyFile& file, const SolveOptions& options);

// Says in words what sites learn by self-absorption; empty without it.
std::vector<std::string> absorption_disclosures(const StudyFile& file, const SolveOptions& options);

}  // namespace firm
