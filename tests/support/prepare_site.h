// Prepares one site of a study that may have others.
#pragma once

#include <string>

#include "prep/study_data.h"

namespace firm {

// All slices. `path`: of the study, which need not exist.
inline PreparedSite prepare_all_slices(StudyFile file, const SiteEntry& entry,
                                       const std::string& path) {
  file.sites = {entry};
  return StudyData(file, path).prepare(entry.name, all_slices(file));
}

}  // namespace firm
