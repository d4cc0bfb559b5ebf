// SPDX-License-Identifier: Apache-2.0
// Which calls a runner still accepts: knows whether it was finalized or its device lost, counts open runs and calls
// under way, and makes finalize wait for the latter. Owned by the DeviceRunner. Thread-safe.
#pragma once

#include <cstdint>

#include "runtime/owner_process.h"
#include "runtime/result.h"
#include "runtime/sync.h"

namespace svmrt {

class Lifecycle {
 public:
  // Brackets one call that reaches the driver. kFinalized or kDeviceLost: the call must not be made (and leave_call
  // not be called).
  [[nodiscard]] Result<void> enter_call();
  void leave_call();

  // The same for a run, from open to close.
  [[nodiscard]] Result<void> enter_run();
  void leave_run();

  // Closes the door for calls and runs, then waits for the calls under way. kInUse (and nothing changed) while runs
  // are open; kDeviceLost. May be called again after end_finalize.
  [[nodiscard]] Result<void> begin_finalize();
  void end_finalize();

  void lose_device();

  // A forked child counts as lost: the mappings and the memory belong to its parent.
  [[nodiscard]] bool device_lost() const;
  [[nodiscard]] bool finalized() const;
  [[nodiscard]] std::uint64_t open_runs() const;

 private:
  enum class Phase { kOpen, kFinalized, kLost };
  [[nodiscard]] Phase phase_locked() const;
  [[nodiscard]] static Result<void> verdict(Phase phase);

  const OwnerProcess owner_;
  mutable Mutex mutex_;
  CondVar changed_;
  Phase phase_ = Phase::kOpen;  // this and what follows is guarded by mutex_
  bool finalizing_ = false;
  std::uint64_t calls_ = 0;
  std::uint64_t runs_ = 0;
};

}  // namespace svmrt
