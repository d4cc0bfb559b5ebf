// SPDX-License-Identifier: Apache-2.0
// What a program is told that breaks a rule of the orchestration interface: status, code, the call, and where memory is
// concerned its address and bytes. On a platform that maps, one that refuses and one without a map path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/locations.h"
#include "cli/run_scene.h"

namespace svmsim {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

struct Broken {
  const char* name;
  std::uint64_t number;  // of the case in fixtures/orchestrations/validation.cpp
  std::int32_t code;
  const char* code_name;
  const char* message;  // a regular expression of what follows
};

constexpr Broken kBroken[] = {
    {"ZeroBlockNum", 1, 5, "INVALID_ARGS",
     "rt_submit_task: block_num 0 with 1 kernel slots; block_num must be at least 1"},
    {"TooManySubtasks", 2, 5, "INVALID_ARGS", "rt_submit_task: block_num 10923 with 3 kernel slots; .*at most 32767"},
    {"NoKernel", 3, 5, "INVALID_ARGS", "rt_submit_task: no active kernel slot"},
    {"ForgedOwnerRead", 4, 5, "INVALID_ARGS",
     "get_tensor_data: the 4 bytes at 0x[0-9a-f]+ do not exist yet: task 0 creates"},
    {"ForgedOwnerWritten", 5, 5, "INVALID_ARGS",
     "set_tensor_data: the 4 bytes at 0x[0-9a-f]+ do not exist yet: task 0 creates"},
    {"OutputReadTooEarly", 6, 5, "INVALID_ARGS",
     "get_tensor_data: the 1 bytes at 0x[0-9a-f]+ do not exist yet: task 0 creates the tensor"},
    {"WrittenArgumentRead", 7, 5, "INVALID_ARGS",
     "get_tensor_data: the 4 bytes at 0x[0-9a-f]+ do not exist yet: task 0 writes them .*pass the value as an argument "
     "or have a task write it"},
    {"WrittenArgumentWritten", 8, 5, "INVALID_ARGS",
     "set_tensor_data: the 4 bytes at 0x[0-9a-f]+ do not exist yet: task 0 writes them"},
    {"PureOutputRead", 9, 5, "INVALID_ARGS",
     "get_tensor_data: cannot read 4 bytes at 0x[0-9a-f]+: they lie in a pure output argument"},
    {"PureOutputWritten", 10, 5, "INVALID_ARGS",
     "set_tensor_data: cannot write 4 bytes at 0x[0-9a-f]+: they lie in a pure output argument"},
    {"MemoryOfNobody", 11, 5, "INVALID_ARGS",
     "get_tensor_data: cannot read 4 bytes at 0x1000: no region .*host-memory tensors that the runtime staged and "
     "child-memory tensors"},
    {"PastTheEnd", 12, 5, "INVALID_ARGS", "get_tensor_data: cannot read 4 bytes at 0x[0-9a-f]+: no region"},
    {"HeapFull", 13, 2, "HEAP_RING_DEADLOCK",
     "alloc_tensors: output 1 of 63488 bytes does not fit the runtime heap at 0x[0-9a-f]+ .3072 of 65536 bytes used"},
    {"TaskWindowFull", 14, 3, "FLOW_CONTROL_DEADLOCK", "rt_submit_aiv_task: the task window of 256 tasks is full"},
    {"ScopesTooDeep", 15, 1, "SCOPE_DEADLOCK", "rt_scope_begin: more than 64 nested scopes"},
    {"FanInTooLarge", 16, 4, "DEP_POOL_OVERFLOW", "rt_submit_dummy_task: task 129 has more than 128 predecessors"},
    {"AutoInsideManual", 17, 5, "INVALID_ARGS", "rt_scope_begin: an AUTO scope inside a MANUAL scope"},
    {"SyncStartBeyondCapacity", 18, 7, "REQUIRE_SYNC_START_INVALID",
     "rt_submit_aiv_task: require_sync_start with block_num [0-9]+, but only [0-9]+ vector cores"},
    {"DependencyOnNoTask", 19, 5, "INVALID_ARGS", "rt_submit_aiv_task: dependency 0 .0x7. is no submitted task"},
    {"ScalarBeforeTensor", 20, 5, "INVALID_ARGS", "rt_submit_aiv_task: "},
    {"AllocOfATensor", 21, 5, "INVALID_ARGS",
     "alloc_tensors: takes at least one TensorCreateInfo and nothing else .got 1 tensor arguments"},
    {"AllocOfNothing", 22, 5, "INVALID_ARGS",
     "alloc_tensors: takes at least one TensorCreateInfo and nothing else .got 0 tensor arguments"},
    {"EndOfNoScope", 23, 5, "INVALID_ARGS", "rt_scope_end: no scope is open"},
    {"FatalOfItsOwn", 24, 9, "EXPLICIT_ORCH_FATAL", "the table says 7"},
    {"FirstOfTwo", 25, 8, "TENSOR_WAIT_TIMEOUT", "first"},
};

RunResult run_case(std::uint64_t number, const char* platform) {
  const Locations locations = default_locations();
  RunSetup setup;
  setup.scene = find_scene(locations, "validation_child_memory").value();
  setup.scene.scalars.at(0).bits = number;
  setup.platform = find_platform(locations, platform).value();
  setup.calibration = find_calibration(locations, setup.platform).value();
  setup.orchestration_file = orchestration_path(locations, setup.scene);
  auto result = run_scene(setup);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result ? *result : RunResult{};
}

class Validation : public ::testing::TestWithParam<Broken> {};

TEST_P(Validation, TheFatalNamesCodeCallAndMemoryAndLeavesNothing) {
  const Broken& broken = GetParam();
  for (const char* const platform : {"a2a3", "a2a3-64k", "a5"}) {
    const RunResult result = run_case(broken.number, platform);
    EXPECT_EQ(result.status, -broken.code) << platform;
    EXPECT_EQ(result.orch_error_code, broken.code) << platform;
    const std::string start = "run failed with code -" + std::to_string(broken.code) +
                              ": orch_error_code=" + std::to_string(broken.code) + " " + broken.code_name + ": ";
    EXPECT_THAT(result.error, HasSubstr(start)) << platform;
    EXPECT_THAT(result.error, ContainsRegex(broken.message)) << platform;
    EXPECT_TRUE(result.violations.empty()) << platform << ": " << result.violations[0].message;
    EXPECT_EQ(result.totals.map_calls, result.totals.unmap_calls) << platform;
    EXPECT_TRUE(result.quarantined.empty()) << platform;
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, Validation, ::testing::ValuesIn(kBroken),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(ValidationProgram, BreaksNothingAtZeroAndKnowsNoFurtherCase) {
  EXPECT_EQ(run_case(0, "a2a3").status, 0);
  const RunResult past = run_case(std::size(kBroken) + 1, "a2a3");
  EXPECT_EQ(past.status, -5);
  EXPECT_THAT(past.error, HasSubstr("there is no case 26"));
}

}  // namespace
}  // namespace svmsim
