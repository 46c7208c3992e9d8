// Refused: the coordinator does not serve this site any more.
#pragma once

#include "federation/secure/peer_text.h"
#include "firm/error.h"
#include "firm/v1/federation.pb.h"

namespace firm {

class Refused : public Error {
 public:
  // A site that was started twice ends with the exit code of a wrong command: starting it again
  // would only displace the other one.
  explicit Refused(const v1::Refusal& refusal)
      : Error(refusal.replaced() ? Kind::kUsage : Kind::kNetwork,
              "coordinator: " + peer_text(refusal.message())) {}
};

}  // namespace firm
