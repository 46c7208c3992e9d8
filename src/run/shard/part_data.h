// The data of a part of a run, prepared; and what all processes have to know of it.
#pragma once

#include <string>
#include <vector>

#include "federation/transport/processes.h"
#include "prep/estimate_unknowns.h"
#include "run/shard/parts.h"

namespace firm {

// What the preparation of a site's data has to tell.
struct PreparedNote {
  std::size_t site = 0;
  std::string json;                // run_json.h
  std::vector<std::string> lines;  // for people
};

struct PartData {
  Part part;
  SiteData data;          // the slices of the part
  bool weighted = false;  // Site::weighted_values
  std::string fingerprint;
  PreparedNote note;
};

// `path` is that of the study. All slices of the site are prepared, whatever the part: all parts
// then tell the same.
PartData read_part(const EstimatedStudy& estimated, const std::string& path, const Study& study,
                   const Part& part);

// Whether values have weights is known only where they are: puts it into `study`. Called by all
// processes.
void share_weighted(const std::vector<PartData>& own, Processes& processes, Study& study);

// One of each site, in their order, at process 0; nothing at the others. Called by all processes.
std::vector<PreparedNote> gather_notes(const std::vector<PartData>& own, Processes& processes);

}  // namespace firm
