// SPDX-License-Identifier: Apache-2.0
#include "runtime/lifecycle.h"

#include <fmt/format.h>

namespace svmrt {

Lifecycle::Phase Lifecycle::phase_locked() const { return owner_.is_this() ? phase_ : Phase::kLost; }

// Builds messages, so it runs without the lock.
Result<void> Lifecycle::verdict(Phase phase) {
  switch (phase) {
    case Phase::kOpen:
      break;
    case Phase::kFinalized:
      return fail(ErrorCode::kFinalized, "the runner was finalized");
    case Phase::kLost:
      return fail(ErrorCode::kDeviceLost, "the device is lost to this process");
  }
  return {};
}

Result<void> Lifecycle::enter_call() {
  LockGuard lock(mutex_);
  const Phase phase = phase_locked();
  if (phase == Phase::kOpen) ++calls_;
  lock.unlock();
  return verdict(phase);
}

void Lifecycle::leave_call() {
  LockGuard lock(mutex_);
  --calls_;
  changed_.notify_all();
}

Result<void> Lifecycle::enter_run() {
  LockGuard lock(mutex_);
  const Phase phase = phase_locked();
  if (phase == Phase::kOpen) ++runs_;
  lock.unlock();
  return verdict(phase);
}

void Lifecycle::leave_run() {
  LockGuard lock(mutex_);
  --runs_;
}

Result<void> Lifecycle::begin_finalize() {
  LockGuard lock(mutex_);
  if (phase_locked() == Phase::kLost) {
    lock.unlock();
    return verdict(Phase::kLost);
  }
  if (runs_ > 0) {
    const std::uint64_t runs = runs_;
    lock.unlock();
    return fail(ErrorCode::kInUse, fmt::format("finalize: {} runs are still open", runs));
  }
  phase_ = Phase::kFinalized;
  while (calls_ > 0 || finalizing_) changed_.wait(lock);
  finalizing_ = true;
  return {};
}

void Lifecycle::end_finalize() {
  LockGuard lock(mutex_);
  finalizing_ = false;
  changed_.notify_all();
}

void Lifecycle::lose_device() {
  LockGuard lock(mutex_);
  phase_ = Phase::kLost;
}

bool Lifecycle::device_lost() const {
  LockGuard lock(mutex_);
  return phase_locked() == Phase::kLost;
}

bool Lifecycle::finalized() const {
  LockGuard lock(mutex_);
  return phase_locked() == Phase::kFinalized;
}

std::uint64_t Lifecycle::open_runs() const {
  LockGuard lock(mutex_);
  return runs_;
}

}  // namespace svmrt
