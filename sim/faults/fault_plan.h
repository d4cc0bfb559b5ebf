// SPDX-License-Identifier: Apache-2.0
// Which driver calls of a machine fail, and with which code. One TOML file per plan, shipped ones in fixtures/faults/.
// Value types, thread-compatible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/driver_code.h"
#include "sim/call_kind.h"
#include "sim/config/toml_reader.h"

namespace svmsim {

enum class FaultRepeat : std::uint8_t {
  kEach,    // every call that meets the conditions fails
  kOnce,    // the first one only
  kSticky,  // the first one, and from then on every call of the kind and address range, whatever its index or luck
};

// Device addresses relative to the machine's slice, as traces show them.
struct FaultRange {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] bool contains(std::uint64_t offset) const { return offset >= first && offset - first < bytes; }
};

// A call that meets all the conditions which are present fails; with none of them, every call.
struct Fault {
  std::string name;                          // for reports
  std::optional<CallKind> call;              // absent: any driver call
  std::optional<std::uint64_t> index;        // number of the call since the machine began, from 0, among those of its
                                             // kind; without `call`, among all driver calls
  std::optional<FaultRange> range;           // where the call's address lies; an allocate has none and never meets it
  std::optional<std::uint32_t> per_million;  // drawn for each call that meets the other conditions
  FaultRepeat repeat = FaultRepeat::kEach;
  svmrt::DriverCode code = svmrt::DriverCode::kIoctlFail;  // never kNone
};

struct FaultPlan {
  std::string name;
  std::string description;
  std::uint64_t seed = 1;
  std::vector<Fault> faults;
};

// Reads a plan; the error names file, line, key, value and what is allowed. Keys:
//   name, description   texts, required
//   seed                of every per_million draw: 0 to 2^63 - 1, default 1
//   [[fault]]           1 to 64 of them:
//     call              "allocate", "free", "register", "unregister", "copy_to_device", "copy_from_device",
//                       "set_memory", "copy_on_device" or "any"; required
//     code              what the call returns: a number that the driver defines, not 0; required
//     name              default: "fault[N]", N from 0 in file order
//     index             0 to 2^63 - 1
//     address, bytes    both or neither; 0 to 2^40 - 1 and 1 to 2^40; not with "allocate"
//     per_million       1 to 1,000,000
//     repeat            "each" (default), "once" or "sticky"
[[nodiscard]] ConfigResult<FaultPlan> load_fault_plan(const std::string& path);
// The same from memory; `file` is the name that errors carry.
[[nodiscard]] ConfigResult<FaultPlan> parse_fault_plan(std::string_view text, std::string file);

}  // namespace svmsim
