// Limits of the connection between coordinator and site. There are no others: a round may take as
// long as it takes, but a peer that does not answer a ping is lost.
#pragma once

namespace firm {

// A ping after so long without traffic, and so long for its answer.
inline constexpr double kKeepaliveSeconds = 10;
// More pings than that are taken for an attack.
inline constexpr double kLeastKeepaliveSeconds = 0.5;
inline constexpr int kLargestMessage = 1 << 20;  // of a site; a chunk has 128 KiB
inline constexpr int kLargestAnswer = 1 << 26;   // the angles of all sites come in one message

inline int milliseconds(double seconds) { return static_cast<int>(1000 * seconds); }

}  // namespace firm
