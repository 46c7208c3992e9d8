// ScanRefiner: finds one kind of number that a scan got wrong.
//
// One loop (align.h) serves all refiners. In every round the images of a level are fitted to the
// data as it is known so far. Then each refiner adds a few numbers to one sum over the sites, and
// changes the numbers of its scans or sites. A refiner that compares whole fits instead of
// residuals does so when the rounds of a level have settled.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "align/align_state.h"
#include "firm/refinement.h"
#include "model/collective.h"

namespace firm {

// Rounds of the alignment, for a refiner that compares fits.
class AlignRounds {
 public:
  virtual ~AlignRounds() = default;
  // Runs so many rounds with the refiners that work by rounds.
  virtual void run(int rounds) = 0;
};

class ScanRefiner {
 public:
  virtual ~ScanRefiner() = default;

  // Called before the first round of a level.
  virtual void begin_level(AlignState& /*state*/) {}
  // Returns the numbers that this process adds to the sum of a round: as many in all processes. May
  // change numbers of hosted sites, which need no sum.
  virtual std::vector<double> share(AlignState& /*state*/) { return {}; }
  // Receives the sums of the numbers over all processes. Returns whether its numbers have settled;
  // all processes return the same.
  virtual bool update(AlignState& /*state*/, std::span<const double> /*sums*/) { return true; }
  // Called when the rounds of a level have settled. Returns whether anything has changed that
  // needs further rounds; all processes return the same.
  virtual bool end_level(AlignState& /*state*/, AlignRounds& /*rounds*/,
                         Collective& /*collective*/) {
    return false;
  }
  // Adds the numbers found and their uncertainties, on the last level. The scans and hosted sites
  // of the state are those of the refinement, in the same order.
  virtual void conclude(AlignState& state, Collective& collective, Refinement& result) = 0;
};

}  // namespace firm
