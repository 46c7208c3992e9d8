// Refines the scans of a study before it is solved: alignment on a few slices of its data, and the
// found numbers put into the study.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "align/refine_choice.h"
#include "core/progress.h"
#include "firm/options.h"
#include "firm/refinement.h"
#include "model/collective.h"
#include "prep/study_data.h"

namespace firm {

// What a run has to refine: the option `refine`, and scales that the study leaves open.
RefineChoice needed_refinement(const StudyFile& file, const SolveOptions& options);

// Throws firm::Error if the study cannot be refined like that: too few slices, no XRT to compare
// with.
void check_refinement(const StudyFile& file, const RefineChoice& choice);

// Throws firm::Error if the method cannot solve what the refinement makes of the study: `firm` and
// `firm+` need the same rays at all sites.
void check_refined_method(const StudyFile& file, const RefineChoice& choice,
                          const std::string& method);

// Slices that are read at once to find vertical shifts.
inline constexpr std::size_t kSlicesOfMasses = 16;
// Number of slices that alignment looks at, of a study with so many.
std::size_t slices_to_align(std::size_t slices);

// Aligns the sites whose data is here. Thread-safe: sites of one study may be aligned by threads
// that share `data`, each through a collective of its own.
class StudyRefiner {
 public:
  // `study`: all sites, with their geometries.
  StudyRefiner(StudyData& data, Study study, const RefineChoice& choice);

  // `sites`: indices in the study. Every process or thread of the run calls it with its own.
  Refinement align(const std::vector<std::size_t>& sites, Collective& collective, int threads,
                   const Progress& progress);
  // Puts the found numbers into `data`: of a site that was aligned elsewhere, those of its scan.
  void apply(const Refinement& refinement);

  // The slices that alignment looks at: a few, spread over the study.
  std::vector<std::size_t> slices() const;

 private:
  const SiteEntry& entry(std::size_t site) const;
  SiteData read(std::size_t site, double lag);
  RefinedValues values_of_scan(const Refinement& refinement, std::size_t site) const;
  void find_vertical(const std::vector<std::size_t>& sites, Collective& collective,
                     Refinement& result);
  std::vector<double> masses(std::size_t site);
  std::size_t scan_of(const std::string& name) const;

  StudyData& data_;
  Study study_;
  RefineChoice choice_;
  std::vector<std::optional<double>> lags_;  // of the sites, in the study; beamlets of the file
  std::vector<std::string> scans_;           // in the order of the alignment's result
  std::mutex mutex_;                         // of data_
};

// Aligns all sites of a study in this process. `separate`: site by site, in threads, with the sums
// of a federation, so that the result has the same bits.
Refinement refine_study(StudyData& data, const SolveOptions& options, bool separate,
                        const Progress& progress);

// Tells all sites of a federation the geometry, noise and coupling of each after its refinement:
// `own` replaces site `index` of the study, and the others theirs.
void share_refined_sites(const Site& own, std::size_t index, Collective& collective, Study& study);

}  // namespace firm
