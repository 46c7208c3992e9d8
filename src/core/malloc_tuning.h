// What the C library does with memory that was freed.
#pragma once

namespace firm {

// For programs that send and receive: messages of some 100 KiB come and go in every round, on
// several threads. From now on freed blocks of up to 1 MiB stay with the process, since the kernel
// clearing their pages again and again was a fifth of a site's time; and all threads share them,
// since otherwise each keeps its own.
void tune_malloc();

}  // namespace firm
