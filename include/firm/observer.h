// Observer: watches a reconstruction, and may end it. Every function may be empty.
#pragma once

#include <functional>

#include "firm/block.h"
#include "firm/solution.h"

namespace firm {

struct Observer {
  // Called after every round; the run ends after `limit` rounds at the latest.
  std::function<void(const RoundRecord&, int limit)> on_round = {};
  // Asked in every round; true ends the run after the next one ("interrupted").
  std::function<bool()> interrupted = {};
  // Asked after every round; if true, and if the method has the images then, on_images gets them:
  // pixels x (images x slices), as in Solution.
  std::function<bool()> wants_images = {};
  std::function<void(const Block&)> on_images = {};
};

}  // namespace firm
