// Observer: callbacks that watch a reconstruction and can end it. Any of them may be empty.
#pragma once

#include <functional>
#include <string>

#include "firm/block.h"
#include "firm/solution.h"

namespace firm {

struct Observer {
  // Called before the first round of a run with a prior, whose strength is then known.
  std::function<void(const PriorSummary&)> on_prior = {};
  // Called in each outer round of self-absorption, when T has been made, with the masses so far.
  std::function<void(const AbsorptionSummary&)> on_absorption = {};
  // Called after every round; the run ends after `limit` rounds at the latest.
  std::function<void(const RoundRecord&, int limit)> on_round = {};
  // Called in every round. If it returns true, the run ends after the next round, with the reason
  // "interrupted".
  std::function<bool()> interrupted = {};
  // Returns the seconds for which the caller has held the run in on_round so far: pauses, which do
  // not count as time of the run.
  std::function<double()> paused_seconds = {};
  // Called after every round. If it returns true and the method has complete images at that point,
  // on_images receives them: pixels x (images x slices), as in Solution.
  std::function<bool()> wants_images = {};
  std::function<void(const Block&)> on_images = {};
  // Called while a Run reads, refines and writes, with the name of the step and the fraction done,
  // 0 to 1.
  std::function<void(const std::string& step, double fraction)> progress = {};
  // Receives the lines that `firm recon` prints: memory needed, how data was prepared, warnings.
  std::function<void(const std::string&)> on_event = {};
};

}  // namespace firm
