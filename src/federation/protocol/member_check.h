// Checks what a site says about itself. The coordinator checks it in Hello, so that it refuses a
// site that sends nonsense; the sites check it again in Begin, since they need not trust the
// coordinator.
#pragma once

#include <optional>
#include <string>

#include "firm/v1/federation.pb.h"
#include "io/study/study_file.h"

namespace firm {

// Throws firm::Error (kNetwork) that names the site and the field unless these are rays and noise
// of this site of the study.
void check_member(const StudyFile& file, const std::string& site, const v1::Geometry& geometry,
                  const v1::Noise& noise);

// Checks the number and the lengths of everything else in a Hello; `terms` is the number of terms
// of the study. Returns why it is refused, or nothing.
std::optional<std::string> oversized_field(const v1::Hello& hello, std::size_t terms);

}  // namespace firm
