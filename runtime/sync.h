// SPDX-License-Identifier: Apache-2.0
// Every lock and every wait of the runtime: a mutex, its guard, a condition variable. One place, so that a
// schedule explorer can stand in for them. Also knows whether the calling thread holds one, so that a test driver
// or a test allocator can refuse to be called then. Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>

namespace svmrt {

namespace detail {
inline thread_local int locks_held = 0;
}

// True while the calling thread holds any Mutex.
[[nodiscard]] inline bool this_thread_holds_lock() { return detail::locks_held > 0; }

// Not recursive.
class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() {
    native_.lock();
    ++detail::locks_held;
  }
  void unlock() {
    --detail::locks_held;
    native_.unlock();
  }

 private:
  friend class CondVar;
  std::mutex native_;
};

// Holds a mutex for a scope. unlock() and lock() open a gap in that scope, for a driver call or an allocation.
class LockGuard {
 public:
  explicit LockGuard(Mutex& mutex) : mutex_(mutex) { lock(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;
  ~LockGuard() {
    if (held_) unlock();
  }

  void lock() {
    mutex_.lock();
    held_ = true;
  }
  void unlock() {
    held_ = false;
    mutex_.unlock();
  }

 private:
  friend class CondVar;
  Mutex& mutex_;
  bool held_ = false;
};

class CondVar {
 public:
  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  // Precondition: `guard` is locked, and is again on return. May wake for no reason: callers loop.
  void wait(LockGuard& guard) {
    std::unique_lock<std::mutex> native(guard.mutex_.native_, std::adopt_lock);
    --detail::locks_held;
    condition_.wait(native);
    ++detail::locks_held;
    native.release();
  }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace svmrt
