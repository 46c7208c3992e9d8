// What a coordinator and a site have sent to each other: bytes of messages, as the protocol has
// them, without what gRPC and TLS put around them.
#pragma once

#include <cstdint>

namespace firm {

struct PeerBytes {
  std::uint64_t up = 0;  // from the site
  std::uint64_t down = 0;
};

}  // namespace firm
