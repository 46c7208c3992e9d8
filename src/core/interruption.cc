#include "core/interruption.h"

#include <utility>

namespace firm {
namespace {

constexpr std::chrono::milliseconds kPause(20);  // between two questions

thread_local InterruptionScope* current = nullptr;
thread_local int loops = 0;  // parallel loops whose tasks this thread runs, within each other

}  // namespace

InterruptionScope::InterruptionScope(std::function<bool()> interrupted)
    : interrupted_(std::move(interrupted)), owner_(std::this_thread::get_id()), outer_(current) {
  if (interrupted_) current = this;
}

InterruptionScope::~InterruptionScope() { current = outer_; }

UninterruptedScope::UninterruptedScope() : suspended_(std::exchange(current, nullptr)) {}

UninterruptedScope::~UninterruptedScope() { current = suspended_; }

std::function<bool()> current_interruption() {
  return current == nullptr ? nullptr : current->interrupted_;
}

bool interruption_seen() { return current != nullptr && InterruptionAccess::ask(*current); }

void check_interruption() {
  if (loops == 0 && interruption_seen()) throw Interrupted{};
}

InterruptionScope* InterruptionAccess::scope() { return current; }

InterruptionScope* InterruptionAccess::enter(InterruptionScope* scope) {
  return std::exchange(current, scope);
}

bool InterruptionAccess::ask(InterruptionScope& scope) {
  if (scope.seen_.load(std::memory_order_relaxed)) return true;
  if (scope.owner_ != std::this_thread::get_id()) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now < scope.next_) return false;
  scope.next_ = now + kPause;
  if (scope.interrupted_()) scope.seen_.store(true, std::memory_order_relaxed);
  return scope.seen_.load(std::memory_order_relaxed);
}

InterruptionAccess::Tasks::Tasks() { ++loops; }

InterruptionAccess::Tasks::~Tasks() { --loops; }

}  // namespace firm
