// SPDX-License-Identifier: Apache-2.0
// What can be seen of a runner and its machine between two operations, and what one operation answered. The harness
// fills it from the real ones, the model from its own books; they must be equal. Value types, thread-compatible.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "property_tests/operation.h"
#include "runtime/run_context.h"
#include "runtime/runner_reports.h"
#include "runtime/tensor_access.h"
#include "runtime/units.h"

namespace svmsim {

enum class Answer : std::uint8_t {
  kSkipped,  // the operation has no object in this state; nothing was called
  kOk,
  // Error codes of the runner.
  kInvalidArgument,
  kUnknownAddress,
  kInteriorAddress,
  kInUse,
  kUnregisterFailed,
  kDriver,
  kDeviceLost,
  kFinalized,
  // Statuses of an access.
  kNoRegion,
  kOutputOnly,
  kNoData,
  kBadSpan,
  kCopyFailed,
  kUnavailable,
  // Of the HostApi: no view (null), or refused by the runner (-1).
  kNoView,
  kRefused,
};
[[nodiscard]] std::string_view answer_name(Answer answer);  // "ok", "in_use", …

struct Outcome {
  Answer answer = Answer::kSkipped;
  std::int32_t code = 0;            // the driver's, where the answer carries one
  std::vector<std::uint8_t> bytes;  // what a read or download returned, on success
  bool operator==(const Outcome&) const = default;
};
[[nodiscard]] std::string outcome_text(const Outcome& outcome);

struct Snapshot {
  struct Block {
    svmrt::DeviceAddr base;
    svmrt::Bytes size;
    bool operator==(const Block&) const = default;
  };
  struct Run {
    svmrt::Picoseconds now;
    svmrt::AccessStats accesses;
    svmrt::MappingStats mappings;
  };

  std::vector<Block> mapped;      // by this or an earlier runner of the scenario, in address order, sizes in whole
                                  // pages of the block's kind; not by strangers
  std::uint64_t live_blocks = 0;  // of the runner
  svmrt::HeldMappings held;
  svmrt::MappingStats totals;
  svmrt::DriverFailures failures;
  std::vector<Block> quarantined;  // as the runner reports them, in address order, sizes as requested
  svmrt::Picoseconds runner_now;
  std::array<std::optional<Run>, kRuns> runs;  // by number; absent: not open
};
// The first difference by name, with both values: "held bytes: 4096 instead of 0". Empty when equal. `actual` comes
// first in the arguments, `expected` is what the text puts after "instead of".
struct Difference {
  std::string property;  // "mapped", "held", "statistics", "failures", "quarantine", "time"; empty when equal
  std::string message;
};
[[nodiscard]] Difference difference(const Snapshot& actual, const Snapshot& expected);

}  // namespace svmsim
