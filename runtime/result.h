// SPDX-License-Identifier: Apache-2.0
// What a fallible call of the runtime returns: a value or an Error that its caller can act on. Value types,
// thread-compatible.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "runtime/driver_code.h"

namespace svmrt {

// One table for the whole runtime. A code exists only where some caller reacts to it.
enum class ErrorCode {
  kInvalidArgument,   // the caller passed something that can never work
  kUnknownAddress,    // the address lies in no live allocation of this runner
  kInteriorAddress,   // the address lies inside an allocation but is not its base
  kOutOfBounds,       // a span runs past the end of the allocation that holds its start
  kInUse,             // a run that is still open uses the allocation, or runs are still open at finalize
  kUnregisterFailed,  // the driver did not confirm the unregister: the block is quarantined, not freed
  kDriver,            // any other driver failure; `driver_code` says which
  kDeviceLost,        // the device was declared lost
  kFinalized,         // the runner was finalized
  kOrchestration,     // the orchestration ended in a fatal; `orchestration_code` says which
  kDeferred,          // the run needs bytes that another live run produces: bind again after `after_run`
  kLoad,              // a shared object or an entry point could not be loaded
};

struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;
  DriverCode driver_code = DriverCode::kNone;  // meaningful for kDriver and kUnregisterFailed
  std::int32_t orchestration_code = 0;         // meaningful for kOrchestration: a PTO2_ERROR_* number, above 0
  std::uint64_t after_run = 0;                 // meaningful for kDeferred: the other run's number
};

template <typename T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message,
                                                DriverCode driver_code = DriverCode::kNone) {
  return tl::unexpected<Error>(Error{code, std::move(message), driver_code, 0, 0});
}

}  // namespace svmrt
