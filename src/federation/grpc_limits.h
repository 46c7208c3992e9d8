// Limits of the connection between coordinator and site. There are no others: a round may take as
// long as it takes, but a peer that does not answer a ping is lost.
#pragma once

namespace firm {

// A ping after so long without traffic, and so long for its answer.
inline constexpr double kKeepaliveSeconds = 10;
// More pings than that are taken for an attack.
inline constexpr double kLeastKeepaliveSeconds = 0.5;
inline constexpr int kLargestMessage = 1 << 20;  // a chunk has 256 KiB

inline int milliseconds(double seconds) { return static_cast<int>(1000 * seconds); }

}  // namespace firm
