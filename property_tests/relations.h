// SPDX-License-Identifier: Apache-2.0
// What must hold between runs of related scenarios, beyond what the model says of each: the same scenario on other
// platforms and under other policies, and with small changes that must not matter. Each function carries out several
// variants and returns the first contradiction, with a property of its own name. Pure functions, thread-safe but for
// scenarios with a race or a fork.
#pragma once

#include <optional>

#include "property_tests/harness.h"

namespace svmsim {

// A part of a scenario that must mean the same everywhere: without failures, strangers, losses, forks and races, and
// without frees while a run could hold a view (whether that is in use is the policy's affair), and without addresses
// beyond a block.
[[nodiscard]] Scenario portable_part(const Scenario& scenario);

// "differential": every platform and policy gives the same answers and the same bytes.
[[nodiscard]] std::optional<Failure> check_differential(const Scenario& scenario, const ScenarioPlatforms& platforms);

// "cost": over the scenario done twice, `cached` spends no more on maps and unmaps than `rebuild`.
[[nodiscard]] std::optional<Failure> check_cached_is_cheapest(const Scenario& scenario,
                                                              const ScenarioPlatforms& platforms);
// "cost": under `cached`, one more read unmaps nothing. `where` chooses which read of the scenario is made twice.
[[nodiscard]] std::optional<Failure> check_one_more_access(const Scenario& scenario, const ScenarioPlatforms& platforms,
                                                           std::uint64_t where);
// "cost": runs that access nothing make no register call, except under register-all.
[[nodiscard]] std::optional<Failure> check_no_access_no_map(const Scenario& scenario,
                                                            const ScenarioPlatforms& platforms);

// "reorder": two neighbouring reads or writes of different slots may change places. `where` chooses the pair.
[[nodiscard]] std::optional<Failure> check_reorder(const Scenario& scenario, const ScenarioPlatforms& platforms,
                                                   std::uint64_t where);
// "split": a read gives the bytes that its two halves give. `where` chooses the read.
[[nodiscard]] std::optional<Failure> check_split_read(const Scenario& scenario, const ScenarioPlatforms& platforms,
                                                      std::uint64_t where);
// "rename": other numbers for slots and runs change nothing. `by` is how far they are rotated.
[[nodiscard]] std::optional<Failure> check_rename(const Scenario& scenario, const ScenarioPlatforms& platforms,
                                                  std::uint64_t by);

}  // namespace svmsim
