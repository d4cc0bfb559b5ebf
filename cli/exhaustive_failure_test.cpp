// SPDX-License-Identifier: Apache-2.0
// Every driver call of a run fails in turn: no rule is broken, no code lost, nothing left behind; the error names the
// call and the code; and the same runner runs the scene again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/locations.h"
#include "cli/run_scene.h"

namespace svmsim {
namespace {

// What stands in a message for the call that failed: one of these words.
struct FailingCall {
  CallKind kind = CallKind::kAllocate;
  DriverCode code = DriverCode::kNone;  // that the call plausibly returns
  std::vector<std::string> words;       // empty: the runtime copes
};

FailingCall failing_call(CallKind kind) {
  switch (kind) {
    case CallKind::kAllocate:
      return {kind, DriverCode::kOutOfMemory, {"allocate"}};
    case CallKind::kFree:
      return {kind, DriverCode::kBusy, {"cannot free", "the free of"}};
    case CallKind::kRegister:
      return {kind, DriverCode::kParaError, {}};
    case CallKind::kUnregister:
      return {kind, DriverCode::kIoctlFail, {"unregister"}};
    case CallKind::kCopyToDevice:
      return {kind, DriverCode::kWaitTimeout, {"upload", "copy to the device"}};
    case CallKind::kCopyFromDevice:
      return {kind, DriverCode::kWaitTimeout, {"bring back", "copy from the device"}};
    default:
      return {kind, DriverCode::kInnerErr, {}};
  }
}

bool is_driver_call(CallKind kind) { return kind <= CallKind::kSetMemory; }

class DriverCalls final : public CallObserver {
 public:
  void on_call(const CallRecord& record) override {
    if (is_driver_call(record.kind)) kinds.push_back(record.kind);
  }
  std::vector<CallKind> kinds;
};

// A scene, how often it runs, and on which platforms.
struct Case {
  std::string scene;
  std::uint64_t rounds = 2;  // so that one follows the round in which a call failed
  std::vector<std::string> platforms = {"a2a3", "a2a3-64k", "a5-map"};
};

RunSetup setup_of(const Case& scene, const std::string& platform, svmrt::Policy policy) {
  const Locations locations = default_locations();
  RunSetup setup;
  setup.scene = find_scene(locations, scene.scene).value();
  setup.platform = find_platform(locations, platform).value();
  setup.calibration = find_calibration(locations, setup.platform).value();
  setup.orchestration_file = orchestration_path(locations, setup.scene);
  setup.policy = policy;
  setup.rounds = scene.rounds;
  return setup;
}

RunResult run(const RunSetup& setup) {
  auto result = run_scene(setup);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result ? *result : RunResult{};
}

Fault fault_of(std::optional<CallKind> call, std::optional<std::uint64_t> index, FaultRepeat repeat, DriverCode code) {
  Fault fault;
  fault.call = call;
  fault.index = index;
  fault.repeat = repeat;
  fault.code = code;
  return fault;
}

void expect_no_rule_broken(const RunResult& result) {
  for (const Violation& violation : result.violations) {
    ADD_FAILURE() << violation.rule << " " << violation.allocation << ": " << violation.message;
  }
}

void expect_message_names(const Attempt& attempt, const FailingCall& failing) {
  EXPECT_THAT(attempt.error, testing::HasSubstr(std::string(svmrt::driver_code_name(failing.code))));
  EXPECT_THAT(attempt.error, testing::HasSubstr(std::to_string(svmrt::code_number(failing.code))));
  bool named = false;
  for (const std::string& word : failing.words) named = named || attempt.error.find(word) != std::string::npos;
  EXPECT_TRUE(named) << "a failed " << call_kind_name(failing.kind) << ": " << attempt.error;
}

// Fails the i-th driver call once and runs the scene again on the same runner.
void fail_one_call(RunSetup setup, const FailingCall& failing, std::uint64_t index, std::uint64_t clean_digest) {
  setup.faults = FaultPlan{"one call", "", 1, {fault_of(std::nullopt, index, FaultRepeat::kOnce, failing.code)}};
  setup.again = true;
  const RunResult result = run(setup);
  expect_no_rule_broken(result);
  EXPECT_EQ(result.fault_hits.failed_calls, 1U);
  // The runtime copes with a refused view; no other failure may end in a success.
  const bool copes = failing.kind == CallKind::kRegister || failing.kind == CallKind::kUnregister;
  if (!copes) {
    EXPECT_NE(result.status, 0);
  }
  if (result.status == 0) {
    EXPECT_EQ(result.result_digest, clean_digest);
  } else {
    expect_message_names(result, failing);
  }
  // The one refusal is past: the runner has nothing left that it could not free.
  EXPECT_TRUE(result.quarantined.empty());
  ASSERT_TRUE(result.again.has_value());
  EXPECT_EQ(result.again->status, 0) << result.again->error;
  EXPECT_EQ(result.again->result_digest, clean_digest);
}

void fail_every_call(const Case& scene, const std::string& platform, svmrt::Policy policy) {
  RunSetup setup = setup_of(scene, platform, policy);
  DriverCalls calls;
  setup.observer = &calls;
  const RunResult clean = run(setup);
  ASSERT_TRUE(clean.fine()) << clean.error;
  ASSERT_FALSE(calls.kinds.empty());
  setup.observer = nullptr;
  for (std::uint64_t i = 0; i < calls.kinds.size(); ++i) {
    FailingCall failing = failing_call(calls.kinds[i]);
    SCOPED_TRACE(fmt::format("{} on {}, {}: call {} of {} ({}) fails", scene.scene, platform,
                             svmrt::policy_name(policy), i, calls.kinds.size(), call_kind_name(failing.kind)));
    fail_one_call(setup, failing, i, clean.result_digest);
    if (failing.kind != CallKind::kRegister) continue;
    failing.code = DriverCode::kNotSupport;  // refused for good
    fail_one_call(setup, failing, i, clean.result_digest);
  }
}

class ExhaustiveFailure : public ::testing::TestWithParam<Case> {};

TEST_P(ExhaustiveFailure, EachCallInTurnFailsOnceAndTheSameRunnerRunsAgain) {
  for (const std::string& platform : GetParam().platforms) {
    for (const svmrt::Policy policy : svmrt::fixed_policies()) fail_every_call(GetParam(), platform, policy);
  }
}

// No unregister is ever confirmed: what was mapped is quarantined, reported and never freed.
TEST_P(ExhaustiveFailure, NoUnregisterWorksAndWhatWasMappedIsReportedAsQuarantined) {
  for (const std::string& platform : GetParam().platforms) {
    for (const svmrt::Policy policy : svmrt::fixed_policies()) {
      SCOPED_TRACE(fmt::format("{} on {}, {}", GetParam().scene, platform, svmrt::policy_name(policy)));
      RunSetup setup = setup_of(GetParam(), platform, policy);
      const RunResult clean = run(setup);
      setup.faults = FaultPlan{
          "unregister", "", 1, {fault_of(CallKind::kUnregister, std::nullopt, FaultRepeat::kEach, DriverCode::kBusy)}};
      const RunResult result = run(setup);
      expect_no_rule_broken(result);
      EXPECT_EQ(result.totals.unmap_calls, 0U);
      EXPECT_EQ(result.quarantined.size(), result.totals.map_calls);
      // The rounds are served by copies and end as always; the tear-down says what it could not free.
      EXPECT_EQ(result.result_digest, clean.result_digest);
      EXPECT_EQ(result.status, result.totals.map_calls == 0 ? 0 : svmrt::code_number(DriverCode::kBusy));
      if (result.status != 0) {
        EXPECT_THAT(result.error, testing::HasSubstr("unregister"));
        EXPECT_THAT(result.error, testing::HasSubstr("quarantined"));
      }
    }
  }
}

// From the i-th call on the device answers nothing.
TEST_P(ExhaustiveFailure, TheDeviceIsLostAtEachCallInTurnAndEveryErrorSaysSo) {
  for (const svmrt::Policy policy : svmrt::fixed_policies()) {
    RunSetup setup = setup_of(GetParam(), "a2a3", policy);
    DriverCalls calls;
    setup.observer = &calls;
    ASSERT_TRUE(run(setup).fine());
    setup.observer = nullptr;
    setup.again = true;
    for (std::uint64_t i = 0; i < calls.kinds.size(); ++i) {
      SCOPED_TRACE(fmt::format("{}, {}: device lost at call {}", GetParam().scene, svmrt::policy_name(policy), i));
      setup.faults =
          FaultPlan{"device lost", "", 1, {fault_of(std::nullopt, i, FaultRepeat::kSticky, DriverCode::kNoDevice)}};
      const RunResult result = run(setup);
      expect_no_rule_broken(result);
      EXPECT_NE(result.status, 0);
      EXPECT_THAT(result.error, testing::HasSubstr("NO_DEVICE"));
      ASSERT_TRUE(result.again.has_value());
      EXPECT_EQ(result.again->status, svmrt::code_number(DriverCode::kNoDevice));
      EXPECT_THAT(result.again->error, testing::AllOf(testing::HasSubstr("allocate"), testing::HasSubstr("NO_DEVICE")));
    }
  }
}

std::string failure_test_name(const ::testing::TestParamInfo<Case>& info) { return info.param.scene; }

INSTANTIATE_TEST_SUITE_P(Small, ExhaustiveFailure,
                         ::testing::Values(Case{"vector_example"}, Case{"bgemm"}, Case{"shape_slot_child_memory"},
                                           Case{"paged_attention_small1"}, Case{"paged_attention_small1_child_memory"},
                                           Case{"paged_attention_small2"}, Case{"paged_attention_small2_child_memory"}),
                         failure_test_name);

// A run takes ten times as long, and none of its arguments is accessed in another way than those above.
INSTANTIATE_TEST_SUITE_P(Large, ExhaustiveFailure,
                         ::testing::Values(Case{"qwen3_14b_decode", 1, {"a2a3"}},
                                           Case{"qwen3_14b_decode_child_memory", 1, {"a2a3"}}),
                         failure_test_name);

}  // namespace
}  // namespace svmsim
