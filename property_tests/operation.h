// SPDX-License-Identifier: Apache-2.0
// One step that a host program takes with a device runner, as data: what a scenario is a list of. Slots name
// allocations and runs by small numbers, so that leaving out one operation changes the meaning of no other. Every
// operation may stand in every state: one that has no object (a run that is not open, a slot that never held a block),
// or that no sane program makes, is skipped; Model::applies decides. Value type, thread-compatible.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/driver_code.h"
#include "sim/call_kind.h"

namespace svmsim {

inline constexpr std::uint8_t kSlots = 6;
inline constexpr std::uint8_t kRuns = 3;
inline constexpr std::uint8_t kRunner = 0xff;  // as a run: the runner itself, on its own timeline

enum class OperationKind : std::uint8_t {
  // Memory. By the runner, or through the HostApi of an open run. Skipped when the slot holds a live block (allocate)
  // or never held one (free).
  kAllocate,  // slot, size, run
  kFree,      // slot, offset, run: the address at `offset` of the block that the slot holds, or last held

  // A run, from open to end. Skipped when it is open (open), or not (the rest). An address is the slot's base plus the
  // offset, modulo 2^64; without a live block, the last base that the slot had.
  kOpenRun,  // run
  kClaim,    // run, slot, offset, size, region: binds the span as an argument; a staged one gets a host buffer with
             // the bytes of the device. Skipped when the slot never held a block; a staged one also outside a live
             // block and above 64 KiB. Under register-all a child-memory region is resolved at once
  kRead,     // run, slot, offset, size (up to 64). Skipped when the slot never held a block, and where the region that
             // serves it would copy from (or push to) a block that was freed since it was resolved (or claimed)
  kWrite,    // run, slot, offset, size (up to 64), value; likewise
  kCloseViews,  // run: the end of its bind: the tensor access and the host views are closed
  kEndRun,      // run: the context goes away, closed or not

  // Through the HostApi of an open run. The three copies are skipped unless the span lies in the slot's live block.
  kRegister,    // run, slot, offset, size
  kUnregister,  // run, slot, offset
  kUpload,      // run, slot, offset, size (up to 64), value
  kDownload,    // run, slot, offset, size (up to 64)
  kSetMemory,   // run, slot, offset, size, value

  // The device and other users of it.
  kDeviceWrite,  // slot, offset, size (up to 64), value: what a kernel stores. Skipped outside a live block
  kFailNext,     // call, code: the next driver call of the kind fails. Skipped when that is already to happen
  // Skipped while a call is to fail, on a platform that refuses the page kind or is lenient, and above 2 MiB:
  kStrangerLeaks,   // size: somebody else allocates, maps and frees a block (F2: v2 keeps it mapped)
  kStrangerMaps,    // slot: somebody else maps the block. Skipped unless it is live and unmapped
  kStrangerUnmaps,  // slot: and drops that mapping again. Skipped without one

  // The runner as a whole.
  kFinalize,
  kRestart,     // a new runner on the same machine. Skipped while runs are open; the old one is destroyed, which
                // finalizes it
  kLoseDevice,  // the runner is told that the device is lost, and the driver closes it

  // Processes and threads.
  kFork,  // slot, run: in a child process, open_run, a free of the slot's block, and an acquire and a copy through the
          // run if it is open, must all be refused without a driver call
  kRace,  // run, other, slot, offset, size: two open runs acquire a view of the span (through the HostApi, not through
          // their regions) at the same time, `run` first. The answer is that of `run`, the code is 1 when the other's
          // answer differs. Skipped unless both are open, with views, and differ
};
inline constexpr std::size_t kOperationKinds = static_cast<std::size_t>(OperationKind::kRace) + 1;

inline constexpr std::uint64_t kLargestAccess = 64;  // bytes of a read, write, upload, download or device write

enum class RegionKind : std::uint8_t { kChildMemory, kStaged, kOutputOnly, kWithoutData };

struct Operation {
  OperationKind kind = OperationKind::kAllocate;
  std::uint8_t slot = 0;  // 0 to kSlots - 1
  std::uint8_t run = 0;   // 0 to kRuns - 1, or kRunner
  std::uint8_t other = 0;
  RegionKind region = RegionKind::kChildMemory;
  CallKind call = CallKind::kAllocate;                     // a driver call of the runtime's port
  svmrt::DriverCode code = svmrt::DriverCode::kIoctlFail;  // not kNone
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t value = 0;  // the bytes of a write follow from it
  bool operator==(const Operation&) const = default;
};

// "allocate", "free", "open_run", …
[[nodiscard]] std::string_view operation_name(OperationKind kind);
[[nodiscard]] std::optional<OperationKind> operation_from_name(std::string_view name);
[[nodiscard]] std::string_view region_name(RegionKind kind);  // "child_memory", "staged", "output_only", "without_data"

// Which fields an operation of this kind reads; the others keep their defaults.
enum class OperationField : std::uint8_t { kSlot, kRun, kOther, kRegion, kCall, kCode, kOffset, kSize, kValue };
[[nodiscard]] std::span<const OperationField> fields_of(OperationKind kind);
[[nodiscard]] bool uses(OperationKind kind, OperationField field);
[[nodiscard]] std::string_view field_name(OperationField field);  // "slot", "run", …

// One line for people: "claim run 0, slot 2, offset 0, size 4096, child_memory".
[[nodiscard]] std::string operation_text(const Operation& operation);

// Byte `index` of what an operation with this value writes.
[[nodiscard]] constexpr std::uint8_t byte_of(std::uint64_t value, std::uint64_t index) {
  return static_cast<std::uint8_t>((value + index) * 0x9d + 0x35);
}
// All `size` of them.
[[nodiscard]] std::vector<std::uint8_t> bytes_of(const Operation& operation);

}  // namespace svmsim
