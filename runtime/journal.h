// SPDX-License-Identifier: Apache-2.0
// Counts every failed driver call of one runner and logs it once, with code, call, address and bytes; passes other
// lines on to the log sink. Owned by the DeviceRunner. Thread-safe. Never called with a lock of the runtime held.
#pragma once

#include <string>
#include <string_view>

#include "runtime/driver_code.h"
#include "runtime/runner_reports.h"
#include "runtime/sync.h"
#include "runtime/units.h"

namespace svmrt {

enum class DriverCall { kAllocate, kFree, kRegister, kUnregister, kCopyToDevice, kCopyFromDevice, kSetMemory };

// The name of the call in the driver port, as it appears in the log.
[[nodiscard]] std::string_view driver_call_name(DriverCall call);

// "PARA_ERROR (8)".
[[nodiscard]] std::string code_text(DriverCode code);
// "0x120000000000 (4096 bytes)".
[[nodiscard]] std::string block_text(DeviceAddr base, Bytes size);

class Journal {
 public:
  explicit Journal(LogSink sink);

  // A refused register (kNotSupport) is a property of the host and logged as a warning, everything else as an error.
  // `address` is null for a failed allocate.
  void driver_failed(DriverCall call, DriverCode code, DeviceAddr address, Bytes bytes);
  // `make_line` returns the line; called only where somebody listens, because mapping takes less than describing it.
  template <typename MakeLine>
  void log(LogLevel level, const MakeLine& make_line) const {
    if (sink_) sink_(level, make_line());
  }

  [[nodiscard]] DriverFailures failures() const;

 private:
  const LogSink sink_;
  mutable Mutex mutex_;
  DriverFailures failures_;  // guarded by mutex_
};

}  // namespace svmrt
