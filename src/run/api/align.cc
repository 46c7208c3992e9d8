// Implements align_study() of include/firm/tools.h.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "firm/error.h"
#include "firm/tools.h"
#include "io/files/json_file.h"
#include "prep/study_data.h"
#include "run/refine_study.h"
#include "run/store/refined_json.h"
#include "run/study_inputs.h"

namespace firm {
namespace {

SolveOptions options_for(const StudyFile& file, const AlignRequest& r) {
  SolveOptions options = options_of(file, r.study, {});
  if (!r.refine.empty()) {
    set_option(options, "--refine", "refine", r.refine);
  } else if (options.refine == "none") {
    options.refine = "shifts,axis";
  }
  options.threads = r.threads;
  return options;
}

// Writes the study with the numbers found, and without the option to look for them again.
void write_refined(StudyFile file, const AlignRequest& r) {
  std::erase_if(file.settings, [](const Setting& s) { return s.key == "refine"; });
  for (SiteEntry& entry : file.sites) {
    if (entry.looked_up) entry.coefficient = 0;  // not written, looked up again
  }
  relocate_study(r.study, std::filesystem::absolute(r.out).parent_path().string(), file);
  write_study(r.out, file);
}

}  // namespace

Refinement align_study(const AlignRequest& request, const Observer& observer) {
  StudyData data(read_study(request.study), request.study);
  const SolveOptions options = options_for(data.file(), request);
  if (options.refine == "none") {
    throw usage_error(
        {"firm align", "--refine", "something to refine, such as shifts,axis", "none"});
  }
  data.geometries();
  data.refuse_counts();
  data.estimate();
  Refinement found = refine_study(data, options, false, observer.progress);
  if (!request.out.empty()) write_refined(data.file(), request);
  return found;
}

std::string to_json(const Refinement& refinement) { return json_text(refined_json(refinement), 2); }

}  // namespace firm
