// WrongSum: the error of a site that has received a total which is not the sum of the shares, or
// anything else in place of a total that only the coordinator can have caused.
#pragma once

#include <string>

#include "firm/error.h"

namespace firm {

// The site that finds it says so in its Failure; by the coordinator's Abandon the others learn it.
// All end, since the next attempt might be cheated, too.
class WrongSum : public Error {
 public:
  explicit WrongSum(const std::string& reason)
      : Error(Kind::kNetwork, "the coordinator's sum is wrong: " + reason) {}
};

}  // namespace firm
