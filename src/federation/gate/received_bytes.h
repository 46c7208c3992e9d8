// Counts the bytes that a TCP socket has received.
#pragma once

#include <cstdint>

namespace firm {

// 0 if the descriptor is no TCP socket.
std::uint64_t received_bytes(int socket);

}  // namespace firm
