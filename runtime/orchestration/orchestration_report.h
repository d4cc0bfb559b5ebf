// SPDX-License-Identifier: Apache-2.0
// How an orchestration fails and what it says: its first fatal, and the sink of its log lines. Owned by the
// orchestrator. Thread-bound.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/orchestration/api/pto_ops.h"
#include "runtime/result.h"

namespace svmrt {

// Called on the orchestration's thread.
using OrchestrationLog = std::function<void(Pto2LogLevel, std::string_view)>;

// The name of a PTO2_ERROR_* number without its prefix ("INVALID_ARGS"); "UNKNOWN" for any other number.
[[nodiscard]] std::string_view orchestration_error_name(std::int32_t code);

class OrchestrationReport {
 public:
  explicit OrchestrationReport(OrchestrationLog log) : log_(std::move(log)) {}

  // Ends the orchestration; only the first call counts. `code` above 0, `message` names the call that failed.
  void raise(std::int32_t code, std::string message);
  // Ends the orchestration as raise() does, though it did nothing wrong: bytes that it read are going to be written by
  // run `after_run` of the same runner, above 0.
  void defer(std::uint64_t after_run, std::string message);
  void log(Pto2LogLevel level, std::string_view message) const;

  // Whether the orchestration is over: every further call of it does nothing.
  [[nodiscard]] bool is_fatal() const { return code_ != PTO2_ERROR_NONE || after_run_ != 0; }
  [[nodiscard]] std::int32_t code() const { return code_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  // kDeferred after a deferral. kOrchestration with the code after a fatal: "run failed with code -5: orch_error_code=5
  // INVALID_ARGS: ...".
  [[nodiscard]] Result<void> result() const;

 private:
  OrchestrationLog log_;
  std::int32_t code_ = PTO2_ERROR_NONE;
  std::uint64_t after_run_ = 0;  // 0: not deferred
  std::string message_;
};

}  // namespace svmrt
