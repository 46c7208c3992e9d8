// Bytes that a coordinator and a site have sent to each other: protocol messages, without the
// overhead of gRPC and TLS.
#pragma once

#include <cstdint>

namespace firm {

struct PeerBytes {
  std::uint64_t up = 0;    // from the site
  std::uint64_t down = 0;  // to the site
};

}  // namespace firm
