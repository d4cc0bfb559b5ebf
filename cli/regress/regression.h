// SPDX-License-Identifier: Apache-2.0
// A scene on a board beside the same scene simulated, and beside what the board showed before. Pure functions,
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/regress/board_scene.h"
#include "cli/regress/observation.h"

namespace svmsim {

// Something that is not as it should be.
struct Mismatch {
  std::string what;  // "result_digest", "per_round[1].devcopy", "bind"
  std::string expected;
  std::string seen;

  bool operator==(const Mismatch&) const = default;
};

// A phase's time over all rounds.
struct Phase {
  std::string name;
  svmrt::Picoseconds simulated;
  svmrt::Picoseconds board;
  bool comparable = true;  // false: one side copies what has no data, the other does not
};

struct SceneRegression {
  std::string scene;
  std::string failure;                // why there is nothing to compare, or not all; empty otherwise
  std::optional<Observation> seen;    // on the board
  std::vector<Mismatch> differences;  // from the simulation
  std::vector<Phase> phases;
  std::vector<Mismatch> baseline_differences;
  std::vector<std::string> log;

  [[nodiscard]] bool as_simulated() const { return failure.empty() && differences.empty(); }
  [[nodiscard]] bool passes() const { return as_simulated() && baseline_differences.empty(); }
};

// Bytes and counts, each that one of them has: "none" where the other lacks it.
[[nodiscard]] std::vector<Mismatch> differences(const Observation& expected, const Observation& seen);
// Phases of which both know the time.
[[nodiscard]] std::vector<Phase> phases(const Observation& simulated, const Observation& seen, bool copies_all);
// Of a clock, in documents.
[[nodiscard]] const char* clock_name(bool simulated);
// As differences(), and phases that take longer than `tolerance_percent` above what they took.
[[nodiscard]] std::vector<Mismatch> baseline_differences(const Observation& baseline, const Observation& seen,
                                                         std::uint64_t tolerance_percent);

}  // namespace svmsim
