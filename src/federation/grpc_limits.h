// Limits of the connection between coordinator and site. There are no others: a round may take as
// long as it takes, but a peer that does not answer a ping is lost.
#pragma once

namespace firm {

inline constexpr int kKeepaliveMs = 10'000;         // a ping after so long without traffic
inline constexpr int kKeepaliveTimeoutMs = 10'000;  // and so long for its answer
inline constexpr int kLargestMessage = 1 << 20;     // a chunk has 256 KiB

}  // namespace firm
