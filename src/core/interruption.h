// Ends long computations when the user interrupts them.
//
// Within an InterruptionScope, loops of parallel.h on the scope's thread ask now and then whether
// to stop. If so they skip the rest of their tasks and throw Interrupted. Code without such loops
// calls check_interruption().
//
// Set-up runs within a scope: it has no results to keep, nor has an interrupted site of a
// federation. Other solvers do not: they stop between rounds, with images.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace firm {

// Not a std::exception: code that recovers from errors must not recover from this.
struct Interrupted {};

class InterruptionScope {
 public:
  // `interrupted` is called on this thread only; empty: no scope.
  explicit InterruptionScope(std::function<bool()> interrupted);
  ~InterruptionScope();
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;

 private:
  friend class InterruptionAccess;
  friend std::function<bool()> current_interruption();

  std::function<bool()> interrupted_;
  std::atomic<bool> seen_ = false;
  std::thread::id owner_;
  std::chrono::steady_clock::time_point next_;  // when to ask again
  InterruptionScope* outer_;
};

// Suspends the scope of this thread.
class UninterruptedScope {
 public:
  UninterruptedScope();
  ~UninterruptedScope();
  UninterruptedScope(const UninterruptedScope&) = delete;
  UninterruptedScope& operator=(const UninterruptedScope&) = delete;

 private:
  InterruptionScope* suspended_;
};

// Returns the question of this thread's scope, to make a scope in a thread that this one starts;
// empty without a scope.
std::function<bool()> current_interruption();

// Throws Interrupted if the user has interrupted the scope of this thread; not within a task of a
// parallel loop. Costs little: it asks at most every 20 ms.
void check_interruption();

// Whether a task of a parallel loop may return early, because the loop will throw Interrupted.
bool interruption_seen();

// For parallel loops.
class InterruptionAccess {
 public:
  static InterruptionScope* scope();
  static bool ask(InterruptionScope& scope);
  // Makes this thread, a helper of a loop, part of the loop's scope; returns the one it had.
  static InterruptionScope* enter(InterruptionScope* scope);

  // Marks that this thread runs tasks.
  class Tasks {
   public:
    Tasks();
    ~Tasks();
    Tasks(const Tasks&) = delete;
    Tasks& operator=(const Tasks&) = delete;
  };
};

}  // namespace firm
