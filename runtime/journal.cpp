// SPDX-License-Identifier: Apache-2.0
#include "runtime/journal.h"

#include <fmt/format.h>

#include <utility>

namespace svmrt {

namespace {

std::uint64_t& counter_of(DriverFailures& failures, DriverCall call) {
  switch (call) {
    case DriverCall::kAllocate:
      return failures.allocate;
    case DriverCall::kFree:
      return failures.free;
    case DriverCall::kRegister:
      return failures.register_to_host;
    case DriverCall::kUnregister:
      return failures.unregister;
    case DriverCall::kCopyToDevice:
    case DriverCall::kCopyFromDevice:
    case DriverCall::kSetMemory:
      break;
  }
  return failures.copy;
}

}  // namespace

std::string_view driver_call_name(DriverCall call) {
  switch (call) {
    case DriverCall::kAllocate:
      return "allocate";
    case DriverCall::kFree:
      return "free";
    case DriverCall::kRegister:
      return "register_to_host";
    case DriverCall::kUnregister:
      return "unregister_from_host";
    case DriverCall::kCopyToDevice:
      return "copy_to_device";
    case DriverCall::kCopyFromDevice:
      return "copy_from_device";
    case DriverCall::kSetMemory:
      return "set_memory";
  }
  return "unknown";
}

std::string code_text(DriverCode code) { return fmt::format("{} ({})", driver_code_name(code), code_number(code)); }

std::string block_text(DeviceAddr base, Bytes size) {
  return fmt::format("{:#x} ({} bytes)", base.value(), size.count());
}

Journal::Journal(LogSink sink) : sink_(std::move(sink)) {}

void Journal::driver_failed(DriverCall call, DriverCode code, DeviceAddr address, Bytes bytes) {
  {
    LockGuard lock(mutex_);
    ++counter_of(failures_, call);
  }
  const bool refused = call == DriverCall::kRegister && code == DriverCode::kNotSupport;
  log(refused ? LogLevel::kWarn : LogLevel::kError, [&] {
    return fmt::format("driver call {} failed with {}: {}", driver_call_name(call), code_text(code),
                       block_text(address, bytes));
  });
}

DriverFailures Journal::failures() const {
  LockGuard lock(mutex_);
  return failures_;
}

}  // namespace svmrt
