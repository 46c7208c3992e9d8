// Asks the system about a TCP socket, and ends it.
#pragma once

#include <cstdint>

namespace firm {

// Identifies a socket for as long as the system runs; 0 if the descriptor is no socket.
std::uint64_t cookie_of(int socket);

// Bytes that have arrived, read or not; 0 if the descriptor is no TCP socket.
std::uint64_t received_bytes(int socket);

void set_option(int socket, int level, int name, int value);

// Lets close() end the connection at once, without keeping it in the kernel.
void forget_at_close(int socket);
// Closes the socket like this.
void discard(int socket);

}  // namespace firm
