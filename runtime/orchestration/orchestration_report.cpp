// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/orchestration_report.h"

#include <fmt/format.h>

#include <utility>

namespace svmrt {

std::string_view orchestration_error_name(std::int32_t code) {
  switch (code) {
    case PTO2_ERROR_NONE:
      return "NONE";
    case PTO2_ERROR_SCOPE_DEADLOCK:
      return "SCOPE_DEADLOCK";
    case PTO2_ERROR_HEAP_RING_DEADLOCK:
      return "HEAP_RING_DEADLOCK";
    case PTO2_ERROR_FLOW_CONTROL_DEADLOCK:
      return "FLOW_CONTROL_DEADLOCK";
    case PTO2_ERROR_DEP_POOL_OVERFLOW:
      return "DEP_POOL_OVERFLOW";
    case PTO2_ERROR_INVALID_ARGS:
      return "INVALID_ARGS";
    case PTO2_ERROR_REQUIRE_SYNC_START_INVALID:
      return "REQUIRE_SYNC_START_INVALID";
    case PTO2_ERROR_TENSOR_WAIT_TIMEOUT:
      return "TENSOR_WAIT_TIMEOUT";
    case PTO2_ERROR_EXPLICIT_ORCH_FATAL:
      return "EXPLICIT_ORCH_FATAL";
    case PTO2_ERROR_SCOPE_TASKS_OVERFLOW:
      return "SCOPE_TASKS_OVERFLOW";
    case PTO2_ERROR_TENSORMAP_OVERFLOW:
      return "TENSORMAP_OVERFLOW";
    default:
      return "UNKNOWN";
  }
}

void OrchestrationReport::raise(std::int32_t code, std::string message) {
  if (is_fatal()) return;
  code_ = code;
  message_ = std::move(message);
}

void OrchestrationReport::defer(std::uint64_t after_run, std::string message) {
  if (is_fatal()) return;
  after_run_ = after_run;
  message_ = std::move(message);
}

void OrchestrationReport::log(Pto2LogLevel level, std::string_view message) const {
  if (log_) log_(level, message);
}

Result<void> OrchestrationReport::result() const {
  if (!is_fatal()) return {};
  if (after_run_ != 0) {
    Error error;
    error.code = ErrorCode::kDeferred;
    error.message = fmt::format("prepared incompatible, retry after run {}: {}", after_run_, message_);
    error.after_run = after_run_;
    return tl::unexpected<Error>(std::move(error));
  }

  Error error;
  error.code = ErrorCode::kOrchestration;
  error.message = fmt::format("run failed with code {}: orch_error_code={} {}: {}", -code_, code_,
                              orchestration_error_name(code_), message_);
  error.orchestration_code = code_;
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace svmrt
