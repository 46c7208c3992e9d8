// Parallel loops. The only place that knows OpenMP.
//
// Every loop here hands out independent tasks, so what a task computes does not depend on how many
// threads there are or in which order they come.
#pragma once

#include <algorithm>
#include <cstddef>

namespace firm {

// Threads this process may use (OMP_NUM_THREADS, CPU affinity); `requested` if it is positive.
int thread_count(int requested);

// Calls task(i) for i = 0..count-1 on `threads` threads, dynamically scheduled. Tasks must not
// throw.
template <typename Task>
void parallel_for(std::size_t count, int threads, const Task& task) {
  const auto n = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (n > 1 && threads > 1)
  for (std::ptrdiff_t i = 0; i < n; ++i) task(static_cast<std::size_t>(i));
}

// Calls body(row) for row = 0..rows-1, in tasks of fixed length: for work too small for a task
// each.
template <typename Body>
void parallel_rows(std::size_t rows, int threads, const Body& body) {
  constexpr std::size_t kTaskRows = 512;
  parallel_for((rows + kTaskRows - 1) / kTaskRows, threads, [&](std::size_t task) {
    const std::size_t end = std::min(rows, (task + 1) * kTaskRows);
    for (std::size_t row = task * kTaskRows; row < end; ++row) body(row);
  });
}

}  // namespace firm
