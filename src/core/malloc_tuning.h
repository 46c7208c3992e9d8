// Tunes the C library's allocator for programs that exchange messages.
#pragma once

namespace firm {

// Keeps freed blocks of up to 1 MiB in the process, and shares them between threads. Messages of
// about 100 KiB are allocated and freed in every round on several threads; returning them to the
// kernel, which clears their pages each time, took a fifth of a site's time.
void tune_malloc();

}  // namespace firm
