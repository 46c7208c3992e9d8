#include "core/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "core/interruption.h"

namespace firm {
namespace {

// Numbers of pauses of about 15 nanoseconds. Waking a sleeping thread takes tens of microseconds,
// more in a virtual machine, so spinning for longer pays; on a busy machine, where the wait ends in
// sleep anyway, the other thread needs the processor more.
constexpr int kMostSpins = 20000;
constexpr int kLeastSpins = 500;
constexpr int kTrial = 16;  // one wait in so many is long again

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Waiting of one thread. Adapts the time it spins to how its last waits ended.
class Patience {
 public:
  // Returns when the value is no longer `old`.
  void wait(const std::atomic<std::int32_t>& value, std::int32_t old) {
    const int spins = ++waits_ % kTrial == 0 ? kMostSpins : spins_;
    for (int k = 0; k < spins; ++k) {
      if (value.load(std::memory_order_acquire) != old) {
        if (2 * k > spins_) spins_ = std::min(2 * spins_, kMostSpins);
        return;
      }
      pause();
    }
    spins_ = std::max(spins_ / 2, kLeastSpins);
    while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
  }

 private:
  int spins_ = kMostSpins;
  unsigned waits_ = 0;
};

// The tasks 0..count-1, in one range or one for each thread.
struct Loop {
  void (*call)(const void*, std::size_t);
  const void* task;
  std::size_t count;
  int threads;
  int ranges;
  InterruptionScope* scope;  // null: never interrupted

  std::size_t begin(int range) const {
    return count * static_cast<std::size_t>(range) / static_cast<std::size_t>(ranges);
  }
};

class Pool {
 public:
  ~Pool() { stop(); }

  void run(const Loop& loop) {
    while (static_cast<int>(helpers_.size()) < loop.threads - 1) add_helper();
    loop_ = loop;
    own_.next.store(0, std::memory_order_relaxed);
    for (int k = 1; k < loop.ranges; ++k) {
      helper(k).next.store(loop.begin(k), std::memory_order_relaxed);
    }
    for (int k = 1; k < loop.threads; ++k) set(helper(k), kCalled);
    work(0);
    for (int k = 1; k < loop.threads; ++k) finish(helper(k));
  }

  // In the child of a fork there is only the thread that forked.
  void forget_helpers() {
    for (auto& helper : helpers_) static_cast<void>(helper.release());
    helpers_.clear();
  }

 private:
  // A helper goes idle -> called -> working -> idle. A call that it has not heard is taken back
  // when all tasks are done: on a busy machine the loop does not wait for a thread that has no
  // processor.
  static constexpr std::int32_t kIdle = 0;
  static constexpr std::int32_t kCalled = 1;
  static constexpr std::int32_t kWorking = 2;
  static constexpr std::int32_t kStop = 3;

  // On cache lines of their own, so that waiting for one does not disturb the others.
  struct alignas(64) Range {
    std::atomic<std::size_t> next = 0;
  };
  struct alignas(64) Helper : Range {
    alignas(64) std::atomic<std::int32_t> state = kIdle;
    std::thread thread;
  };

  // Number 0 is the thread that runs the loop.
  Helper& helper(int number) { return *helpers_[static_cast<std::size_t>(number - 1)]; }
  Range& range(int number) { return number == 0 ? own_ : helper(number); }

  static void set(Helper& helper, std::int32_t state) {
    helper.state.store(state, std::memory_order_release);
    helper.state.notify_one();
  }

  static bool change(Helper& helper, std::int32_t from, std::int32_t to) {
    return helper.state.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  }

  // Takes the call back, or waits until the helper is done.
  void finish(Helper& helper) {
    if (!change(helper, kCalled, kIdle)) patience_.wait(helper.state, kWorking);
  }

  void add_helper() {
    helpers_.push_back(std::make_unique<Helper>());
    Helper& helper = *helpers_.back();
    const auto number = static_cast<int>(helpers_.size());
    helper.thread = std::thread([this, &helper, number] { serve(helper, number); });
  }

  void serve(Helper& helper, int number) {
    Patience patience;
    for (;;) {
      patience.wait(helper.state, kIdle);
      if (helper.state.load(std::memory_order_relaxed) == kStop) return;
      if (!change(helper, kCalled, kWorking)) continue;
      InterruptionAccess::enter(loop_.scope);
      work(number);
      InterruptionAccess::enter(nullptr);
      set(helper, kIdle);
    }
  }

  void work(int number) {
    const InterruptionAccess::Tasks tasks;
    for (int k = 0; k < loop_.ranges; ++k) {
      const int which = (number + k) % loop_.ranges;
      std::atomic<std::size_t>& next = range(which).next;
      const std::size_t end = loop_.begin(which + 1);
      for (std::size_t i = next.fetch_add(1, std::memory_order_relaxed); i < end;
           i = next.fetch_add(1, std::memory_order_relaxed)) {
        if (interruption_seen()) return;
        loop_.call(loop_.task, i);
      }
    }
  }

  void stop() {
    for (auto& helper : helpers_) {
      set(*helper, kStop);
      helper->thread.join();
    }
  }

  std::vector<std::unique_ptr<Helper>> helpers_;
  Loop loop_ = {};
  Range own_;
  Patience patience_;
};

std::mutex& pool_mutex() {
  static std::mutex mutex;
  return mutex;
}

Pool& pool() {
  static Pool instance;
  static const int registered = pthread_atfork(nullptr, nullptr, [] { pool().forget_helpers(); });
  static_cast<void>(registered);
  return instance;
}

// 0 if the variable is missing or is not a positive number.
int threads_of_environment() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return 0;
  const std::string_view view(text);
  int value = 0;
  std::from_chars(view.data(), view.data() + view.size(), value);
  return std::max(value, 0);
}

int threads_of_affinity() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(CPU_COUNT(&set), 1);
}

}  // namespace

int thread_count(int requested) {
  if (requested > 0) return requested;
  const int wanted = threads_of_environment();
  return wanted > 0 ? wanted : threads_of_affinity();
}

void run_tasks(std::size_t count, int threads, Handout handout,
               void (*call)(const void* task, std::size_t index), const void* task) {
  const auto most = static_cast<int>(
      std::min<std::size_t>(count, static_cast<std::size_t>(std::max(threads, 1))));
  std::unique_lock<std::mutex> lock(pool_mutex(), std::defer_lock);
  if (most > 1 && lock.try_lock()) {
    pool().run({call, task, count, most, handout == Handout::kQueue ? 1 : most,
                InterruptionAccess::scope()});
    lock.unlock();
  } else {
    const InterruptionAccess::Tasks tasks;
    for (std::size_t i = 0; i < count && !interruption_seen(); ++i) call(task, i);
  }
  check_interruption();
}

}  // namespace firm
