// Limits of the connection between coordinator and site. There is no time limit for a round, but a
// peer that does not answer a ping counts as lost.
#pragma once

namespace firm {

// A ping is sent after this time without traffic, and must be answered within this time.
inline constexpr double kKeepaliveSeconds = 10;
// gRPC treats more frequent pings as an attack.
inline constexpr double kLeastKeepaliveSeconds = 0.5;
inline constexpr int kLargestMessage = 1 << 20;  // from a site; a chunk has 128 KiB
inline constexpr int kLargestAnswer = 1 << 26;   // to a site; Begin has the angles of all sites

// A connection has this long until its certificate is accepted.
inline constexpr double kHandshakeSeconds = 10;

inline int milliseconds(double seconds) { return static_cast<int>(1000 * seconds); }

}  // namespace firm
