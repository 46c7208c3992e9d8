// The data of a part of a run, prepared; and what all processes have to know of it.
#pragma once

#include <string>
#include <vector>

#include "federation/processes.h"
#include "io/study_file.h"
#include "run/parts.h"

namespace firm {

// What the preparation of a site's data has to tell.
struct PreparedNote {
  std::size_t site = 0;
  std::string json;                // run_json.h
  std::vector<std::string> lines;  // for people
};

struct PartData {
  Part part;
  Site site;      // with the rotation axis that was found
  SiteData data;  // the slices of the part
  std::string fingerprint;
  PreparedNote note;
};

// `path` is that of the study. All slices of the site are prepared, whatever the part: what is
// found in them is the same for all parts.
PartData read_part(const StudyFile& file, const std::string& path, const Study& study,
                   const Part& part);

// Every process needs the rays of all sites, but a rotation axis that was found in the data of a
// site is known only where that data is: puts them into `study`. Called by all processes.
void share_axes(const StudyFile& file, const std::vector<PartData>& own, Processes& processes,
                Study& study);

// One of each site, in their order, at process 0; nothing at the others. Called by all processes.
std::vector<PreparedNote> gather_notes(const std::vector<PartData>& own, Processes& processes);

}  // namespace firm
