// Self-absorption of a site, from the keys of the study and the tables of xraylib.
#pragma once

#include <optional>

#include "firm/fluorescence.h"
#include "io/study/study_file.h"

namespace firm {

// Whether the data of this site is absorbed: XRF, in a study with self-absorption.
bool is_absorbed(const StudyFile& study, const SiteEntry& site);

// None for XRT, and without self-absorption. A site that is not coupled does not absorb: its image
// is in counts.
std::optional<Fluorescence> fluorescence_of(const StudyFile& study, const SiteEntry& site);

}  // namespace firm
