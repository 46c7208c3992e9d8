// SiteRefinement: refines the scan of a site together with the other sites of a federation, at the
// start of every attempt.
//
// Every attempt begins with the study as it was given, so it finds the same numbers, to the bit: a
// checkpoint of one attempt fits the next.
#pragma once

#include <optional>
#include <string>

#include "align/refine_choice.h"
#include "core/progress.h"
#include "federation/sums/word_exchange.h"
#include "firm/options.h"
#include "firm/refinement.h"
#include "prep/study_data.h"

namespace firm {

class SiteRefinement {
 public:
  // Reads nothing. Throws firm::Error if the study cannot be refined as the options say. `data`
  // must outlive the object.
  SiteRefinement(StudyData& data, std::string site, const SolveOptions& options);

  // Whether the study has to be refined at all.
  bool needed() const { return choice_.any(); }

  // Makes `data` the study as it was given, if an earlier attempt has refined it.
  void reset();

  struct Result {
    Refinement found;       // all scans, and this site
    PreparedSite prepared;  // all slices of this site
    Study study;            // all sites
    StudyFile file;         // with the numbers of this site, and those of its peers that it knows
  };
  // Takes part in the alignment with its own data, and tells the other sites its new geometry.
  // `study`: all sites before the refinement; `index`: this one. `data` is the refined study from
  // then on. Throws what the exchange throws, and firm::Error.
  Result run(const Study& study, std::size_t index, WordExchange& exchange,
             const Progress& progress);

 private:
  StudyFile file_for(const Study& study) const;

  StudyData& data_;
  std::string site_;
  RefineChoice choice_;
  int threads_;
  std::optional<StudyData::Numbers> given_;  // before the first refinement
};

}  // namespace firm
