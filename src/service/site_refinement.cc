#include "service/site_refinement.h"

#include <algorithm>
#include <utility>

#include "federation/sums/fixed_point_collective.h"
#include "run/refine_study.h"

namespace firm {

SiteRefinement::SiteRefinement(StudyData& data, std::string site, const SolveOptions& options)
    : data_(data),
      site_(std::move(site)),
      choice_(needed_refinement(data.file(), options)),
      threads_(options.threads) {
  check_refinement(data.file(), choice_);
  check_refined_method(data.file(), choice_, options.method);
}

void SiteRefinement::reset() {
  if (given_) data_.restore(*given_);
}

SiteRefinement::Result SiteRefinement::run(const Study& study, std::size_t index,
                                           WordExchange& exchange, const Progress& progress) {
  reset();
  if (!given_) given_ = data_.numbers();
  // The sums of the rounds have scales of their own, as in a run on one machine.
  FixedPointCollective collective(exchange);
  StudyRefiner refiner(data_, study, choice_);
  Result result;
  result.found = refiner.align({index}, collective, threads_, progress);
  refiner.apply(result.found);
  data_.require_scales(site_);
  data_.diagnose(site_);
  result.prepared = data_.prepare(site_, all_slices(data_.file()));
  result.prepared.data.site = index;
  result.study = study;
  share_refined_sites(result.prepared.site, index, collective, result.study);
  result.file = file_for(result.study);
  return result;
}

// The scales of other sites are theirs: nobody is told. Without the key, a site that measured
// counts is asked for the number.
StudyFile SiteRefinement::file_for(const Study& study) const {
  StudyFile file = data_.file();
  for (SiteEntry& entry : file.sites) {
    if (entry.name == site_) continue;
    const Site& site = *std::ranges::find(study.sites, entry.name, &Site::name);
    if (site.kind == SiteKind::kXrf && site.coefficient == 0) entry.coupled = false;
    entry.prepare.find_scale = false;
  }
  return file;
}

}  // namespace firm
