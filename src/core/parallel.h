// Parallel loops.
//
// Every loop here hands out independent tasks, so what a task computes does not depend on how many
// threads there are or in which order they come.
//
// Threads wait for work by spinning for a fraction of a millisecond, since loops follow closely,
// and then sleep: a thread that spins for longer would keep others from the processor that the loop
// is waiting for, which on a busy machine costs more than the loop.
#pragma once

#include <algorithm>
#include <cstddef>

namespace firm {

// Threads this process may use (OMP_NUM_THREADS, else CPU affinity); `requested` if it is positive.
int thread_count(int requested);

// How tasks are handed out. One by one, in order, the next to whoever is free: for tasks of
// different lengths, longest first. Or a range to each thread, which then helps with what others
// have not come to: consecutive loops over the same pieces of memory find them in the cache of the
// same processor.
enum class Handout { kQueue, kRanges };

// call(task, index) for index = 0..count-1, on this thread and up to threads - 1 others. While
// another thread of the program does the same, on this one alone.
void run_tasks(std::size_t count, int threads, Handout handout,
               void (*call)(const void* task, std::size_t index), const void* task);

// Calls task(i) for i = 0..count-1 on `threads` threads. Tasks must not throw.
template <typename Task>
void parallel_for(std::size_t count, int threads, const Task& task,
                  Handout handout = Handout::kQueue) {
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  run_tasks(
      count, threads, handout,
      [](const void* it, std::size_t index) { (*static_cast<const Task*>(it))(index); }, &task);
}

// Calls body(row) for row = 0..rows-1, in tasks of fixed length: for work too small for a task
// each.
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
