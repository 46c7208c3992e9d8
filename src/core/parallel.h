// Parallel loops.
//
// Tasks of a loop are independent: their results do not depend on the number of threads or on the
// order in which tasks run.
//
// Idle threads spin for a fraction of a millisecond, because the next loop usually follows soon,
// and then sleep: on a busy machine, a thread that spins for longer keeps the processor from the
// threads that the loop waits for.
#pragma once

#include <algorithm>
#include <cstddef>

namespace firm {

// Threads this process may use (OMP_NUM_THREADS, else CPU affinity); `requested` if it is positive.
int thread_count(int requested);

// How threads get tasks. Either one by one, in order: for tasks of different lengths, longest
// first. Or as one range per thread; a thread that is done helps the others. Consecutive loops over
// the same memory then find it in the cache of the same processor.
enum class Handout { kQueue, kRanges };

// Calls call(task, index) for index = 0..count-1, on this thread and up to threads - 1 others; on
// this thread alone while another thread of the program runs a loop. Throws Interrupted if the user
// interrupts it (interruption.h).
void run_tasks(std::size_t count, int threads, Handout handout,
               void (*call)(const void* task, std::size_t index), const void* task);

// Calls task(i) for i = 0..count-1 on `threads` threads. Tasks must not throw.
template <typename Task>
void parallel_for(std::size_t count, int threads, const Task& task,
                  Handout handout = Handout::kQueue) {
  run_tasks(
      count, threads, handout,
      [](const void* it, std::size_t index) { (*static_cast<const Task*>(it))(index); }, &task);
}

// Calls body(row) for row = 0..rows-1, in tasks of a fixed number of rows: for rows too short to be
// tasks of their own.
template <typename Body>
void parallel_rows(std::size_t rows, int threads, const Body& body) {
  constexpr std::size_t kTaskRows = 512;
  const auto task = [&](std::size_t k) {
    const std::size_t end = std::min(rows, (k + 1) * kTaskRows);
    for (std::size_t row = k * kTaskRows; row < end; ++row) body(row);
  };
  parallel_for((rows + kTaskRows - 1) / kTaskRows, threads, task, Handout::kRanges);
}

}  // namespace firm
