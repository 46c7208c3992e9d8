// Ctrl-C and SIGTERM, as a flag that long work polls.
#pragma once

namespace firm {

// From now on the first SIGINT or SIGTERM sets the flag; the second ends the program.
void catch_interrupts();

bool interrupt_requested();

}  // namespace firm
