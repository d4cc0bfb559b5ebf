// SPDX-License-Identifier: Apache-2.0
// What one run of a scene showed, in the form in which simulator, board and baseline are compared: numbers with names.
// Value types, thread-compatible.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/json_reader.h"
#include "cli/run_result.h"
#include "runtime/units.h"
#include "sim/output/json_document.h"

namespace svmsim {

struct Observation {
  std::int32_t status = 0;    // as of `svmsim run`
  std::string error;          // empty when status is 0
  std::string result_digest;  // 16 hex digits each
  std::string outputs_digest;
  // "totals.map_calls", "per_round[0].devcopy", …: what must be equal everywhere.
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  // Of all rounds together: bind, map, unmap, copy, upload, host_view_close, download. Not the device's: on a board
  // kernels run on the host.
  std::vector<std::pair<std::string, svmrt::Picoseconds>> times;

  bool operator==(const Observation&) const = default;
};

// Of such a name; null when there is none.
template <typename Value>
[[nodiscard]] const Value* find_named(const std::vector<std::pair<std::string, Value>>& values,
                                      const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == name; });
  return found == values.end() ? nullptr : &found->second;
}

[[nodiscard]] Observation observe(const RunResult& result);

// {"status" (as an unsigned number), "error", "result_digest", "outputs_digest", "counts": {…}, "times_ps": {…}}
[[nodiscard]] Json observation_json(const Observation& observation);
[[nodiscard]] Observation read_observation(JsonReader& reader);

}  // namespace svmsim
