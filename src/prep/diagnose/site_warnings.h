// Warnings about the prepared data of one site: signs that a study describes it wrongly.
#pragma once

#include <string>
#include <vector>

#include "firm/study.h"
#include "io/study/study_file.h"

namespace firm {

// Angles that do not cover half a turn; transmissions, counts or logarithms where the study says
// otherwise; values beside the object that are not 0; signal at rays that miss the image; a
// rotation axis around which the projections do not turn.
std::vector<std::string> site_warnings(const SiteEntry& entry, const Site& site,
                                       const SiteData& data);

}  // namespace firm
