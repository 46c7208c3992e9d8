// Ctrl-C and a polite kill, as a question to ask between two pieces of work.
#pragma once

namespace firm {

// From now on the first of these signals is remembered; a second one ends the program.
void catch_interrupts();

bool interrupt_requested();

}  // namespace firm
