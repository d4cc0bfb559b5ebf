// SPDX-License-Identifier: Apache-2.0
// Required behaviours covered here:
//   8  close gives views back as the policy says    LastRunToCloseDropsTheMapping, CachedKeepsItUntilTheFree, ...
//   20 refusals                                     RawRegisterIsNullOnAnyFailure, NothingIsRegistered
//   25 established and held                         MappingStatsAreThoseOfTheRun
#include "runtime/run_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "runtime/device_runner.h"
#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::error_of;
using testing::FakeDriver;
using testing::kPage;
using testing::MappingPlace;

class RunContextTest : public ::testing::TestWithParam<Policy> {
 protected:
  std::unique_ptr<RunContext> open() { return runner.open_run().value(); }
  DeviceAddr block(Bytes size = kPage) { return runner.device_malloc(size).value(); }
  static HostViewStatus acquire(RunContext& run, DeviceAddr device, std::uint64_t bytes) {
    void* view = nullptr;
    return run.api().acquire_child_memory_host_view(run.api().context, device.value(), bytes, &view);
  }
  static void* raw_register(RunContext& run, DeviceAddr device, std::uint64_t bytes) {
    return run.api().register_device_memory_to_host(run.api().context, device.value(), bytes);
  }
  static std::int32_t raw_unregister(RunContext& run, DeviceAddr device) {
    return run.api().unregister_device_memory_from_host(run.api().context, device.value());
  }
  [[nodiscard]] std::size_t mapped() const { return driver.mappings().size(); }

  testing::LogCollector log;
  FakeDriver driver{MappingPlace::kElsewhere};
  DeviceRunner runner{driver, RunnerConfig{GetParam(), log.sink()}};
};

class Cached : public RunContextTest {};
class DropsAtClose : public RunContextTest {};
class CopyOnly : public RunContextTest {};
class AnyPolicy : public RunContextTest {};
std::string name_of(const ::testing::TestParamInfo<Policy>& info) {
  std::string name = policy_name(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Policy, Cached, ::testing::Values(Policy::kCached), name_of);
INSTANTIATE_TEST_SUITE_P(Policy, DropsAtClose, ::testing::Values(Policy::kRebuild, Policy::kRegisterAll), name_of);
INSTANTIATE_TEST_SUITE_P(Policy, CopyOnly, ::testing::Values(Policy::kCopyOnly), name_of);
INSTANTIATE_TEST_SUITE_P(Policy, AnyPolicy, ::testing::ValuesIn(fixed_policies().begin(), fixed_policies().end()),
                         name_of);

// Also bug C1: one register however many runs.
TEST_P(Cached, CachedKeepsItUntilTheFree) {
  const DeviceAddr base = block();
  for (int round = 0; round < 3; ++round) {
    auto run = open();
    EXPECT_EQ(acquire(*run, base, 8), HostViewStatus::kMapped);
    run->close_host_views();
    EXPECT_EQ(mapped(), 1u);
  }
  ASSERT_TRUE(runner.free_tensor(base));
  EXPECT_EQ(driver.sequence(), "allocate register unregister free");
}

TEST_P(DropsAtClose, EachRunMapsAnewAndDropsAtClose) {
  const DeviceAddr base = block();
  for (int round = 0; round < 2; ++round) {
    auto run = open();
    EXPECT_EQ(acquire(*run, base, 8), HostViewStatus::kMapped);
    EXPECT_EQ(acquire(*run, base + Bytes(64), 8), HostViewStatus::kMapped);
    EXPECT_EQ(mapped(), 1u);
    run->close_host_views();
    EXPECT_EQ(mapped(), 0u);
    EXPECT_EQ(run->mapping_stats().established, 1u);
    EXPECT_EQ(run->mapping_stats().dropped, 1u);
  }
  EXPECT_EQ(driver.sequence(), "allocate register unregister register unregister");
}

TEST_P(DropsAtClose, LastRunToCloseDropsTheMapping) {
  for (const bool opener_closes_first : {true, false}) {
    const DeviceAddr base = block();
    auto opener = open();
    auto sharer = open();
    ASSERT_EQ(acquire(*opener, base, 8), HostViewStatus::kMapped);
    ASSERT_EQ(acquire(*sharer, base, 8), HostViewStatus::kMapped);
    RunContext& first = opener_closes_first ? *opener : *sharer;
    RunContext& last = opener_closes_first ? *sharer : *opener;
    first.close_host_views();
    EXPECT_EQ(mapped(), 1u) << "the other run still uses it";
    EXPECT_EQ(error_of(runner.free_tensor(base)), ErrorCode::kInUse);
    last.close_host_views();
    EXPECT_EQ(mapped(), 0u);
    EXPECT_EQ(opener->mapping_stats().established, 1u);
    EXPECT_EQ(sharer->mapping_stats().established, 0u);
    EXPECT_EQ(first.mapping_stats().dropped, 0u);
    EXPECT_EQ(last.mapping_stats().dropped, 1u);
    EXPECT_TRUE(runner.free_tensor(base));
  }
}

TEST_P(DropsAtClose, FailedUnregisterAtCloseQuarantinesAndLosesNoCode) {
  const DeviceAddr a = block();
  const DeviceAddr b = block();
  auto run = open();
  ASSERT_EQ(acquire(*run, a, 8), HostViewStatus::kMapped);
  ASSERT_EQ(acquire(*run, b, 8), HostViewStatus::kMapped);
  driver.fail_next(CallKind::kUnregister, DriverCode::kIoctlFail);
  run->close_host_views();
  EXPECT_EQ(driver.count(CallKind::kUnregister), 2u) << "one failure does not leak the rest";
  ASSERT_EQ(runner.quarantined().size(), 1u);
  EXPECT_EQ(runner.quarantined()[0].base, a);
  EXPECT_EQ(runner.failures().unregister, 1u);
  EXPECT_EQ(log.count(LogLevel::kError, "unregister_from_host failed with IOCRL_FAIL (17)"), 1);
  EXPECT_EQ(runner.held().count, 1u);

  auto next = open();
  EXPECT_EQ(acquire(*next, a, 8), HostViewStatus::kNoView);
  EXPECT_TRUE(runner.free_tensor(a)) << "the retry is confirmed";
}

TEST_P(CopyOnly, NothingIsEverRegistered) {
  const DeviceAddr base = block();
  auto run = open();
  EXPECT_EQ(acquire(*run, base, 8), HostViewStatus::kNoView);
  EXPECT_EQ(raw_register(*run, base, 8), nullptr);
  EXPECT_EQ(raw_unregister(*run, base), -1);
  run.reset();
  ASSERT_TRUE(runner.free_tensor(base));
  EXPECT_EQ(driver.sequence(), "allocate free");
}

TEST_P(AnyPolicy, DestructorClosesAndClosingTwiceIsFine) {
  const DeviceAddr base = block();
  auto run = open();
  static_cast<void>(acquire(*run, base, 8));
  run->close_host_views();
  const auto after = driver.sequence();
  run->close_host_views();
  run.reset();
  EXPECT_EQ(driver.sequence(), after);
  run = open();
  static_cast<void>(acquire(*run, base, 8));
  run.reset();
  EXPECT_TRUE(runner.free_tensor(base)) << "the destructor gave the view back";
}

TEST_P(AnyPolicy, ClosedRunGetsNoViewsButStillCopies) {
  const DeviceAddr base = block();
  auto run = open();
  run->close_host_views();
  EXPECT_EQ(acquire(*run, base, 8), HostViewStatus::kUnavailable);
  EXPECT_EQ(raw_register(*run, base, 8), nullptr);
  const std::uint64_t value = 42;
  EXPECT_EQ(run->api().copy_to_device(run->api().context, base.value(), &value, 8), 0);
  EXPECT_EQ(testing::peek<std::uint64_t>(driver, base), 42u);
}

TEST_P(AnyPolicy, ApiReachesTheDriverOnTheRunsTimeline) {
  auto run = open();
  const HostApi& api = run->api();
  const std::uint64_t base = api.device_malloc(api.context, 64);
  ASSERT_NE(base, 0u);
  std::uint32_t value = 7;
  EXPECT_EQ(api.copy_to_device(api.context, base, &value, 4), 0);
  EXPECT_EQ(api.copy_from_device(api.context, &value, base, 4), 0);
  EXPECT_EQ(api.device_memset(api.context, base, 0x101, 4), 0);
  EXPECT_EQ(testing::peek<std::uint32_t>(driver, DeviceAddr(base)), 0x01010101u) << "the low byte, as memset";
  EXPECT_EQ(api.device_free(api.context, base), 0);
  EXPECT_EQ(driver.sequence(), "allocate copy_to copy_from set free");
  for (const auto& call : driver.calls()) EXPECT_EQ(call.timeline, run->timeline());
  EXPECT_EQ(runner.live_allocations(), 0u);
}

TEST_P(AnyPolicy, CopiesOfNothingMakeNoDriverCall) {
  const DeviceAddr base = block();
  auto run = open();
  const HostApi& api = run->api();
  EXPECT_EQ(api.copy_to_device(api.context, base.value(), nullptr, 0), 0);
  EXPECT_EQ(api.copy_from_device(api.context, nullptr, base.value(), 0), 0);
  EXPECT_EQ(api.device_memset(api.context, base.value(), 0, 0), 0);
  EXPECT_EQ(driver.sequence(), "allocate");
}

TEST_P(AnyPolicy, ApiReturnsTheDriversCodesAndMinusOneForTheRunnersOwn) {
  const DeviceAddr base = block();
  auto run = open();
  const HostApi& api = run->api();
  std::uint32_t value = 0;
  driver.fail_always(CallKind::kCopyToDevice, DriverCode::kIoctlFail);
  driver.fail_always(CallKind::kCopyFromDevice, DriverCode::kInnerErr);
  driver.fail_always(CallKind::kSet, DriverCode::kParaError);
  driver.fail_always(CallKind::kFree, DriverCode::kBusy);
  driver.fail_always(CallKind::kAllocate, DriverCode::kOutOfMemory);
  EXPECT_EQ(api.copy_to_device(api.context, base.value(), &value, 4), 17);
  EXPECT_EQ(api.copy_from_device(api.context, &value, base.value(), 4), 7);
  EXPECT_EQ(api.device_memset(api.context, base.value(), 0, 4), 8);
  EXPECT_EQ(api.device_free(api.context, base.value()), 13);
  EXPECT_EQ(api.device_free(api.context, base.value() + 1), -1);
  EXPECT_EQ(api.device_malloc(api.context, 4), 0u);
  EXPECT_EQ(api.device_malloc(api.context, 0), 0u);
  EXPECT_EQ(runner.failures().copy, 3u);
  EXPECT_EQ(runner.failures().free, 1u);
  EXPECT_EQ(runner.failures().allocate, 1u);
  EXPECT_EQ(log.count(LogLevel::kError, "copy_to_device failed with IOCRL_FAIL (17)"), 1);
  EXPECT_EQ(log.count(LogLevel::kError, "copy_from_device failed with INNER_ERR (7)"), 1);
  EXPECT_EQ(log.count(LogLevel::kError, "set_memory failed with PARA_ERROR (8)"), 1);
}

TEST_P(AnyPolicy, ChargesAndTimeGoToTheRunsTimeline) {
  driver.set_cost(CallKind::kCopyToDevice, Picoseconds(250));
  const DeviceAddr base = block();
  auto run = open();
  const HostApi& api = run->api();
  EXPECT_EQ(api.now_ps(api.context), 0u);
  const std::uint32_t value = 1;
  EXPECT_EQ(api.copy_to_device(api.context, base.value(), &value, 4), 0);
  EXPECT_EQ(api.now_ps(api.context), 250u);
  api.charge_view_accesses(api.context, 3, 5);
  EXPECT_EQ(driver.charged_loads(), 3u);
  EXPECT_EQ(driver.charged_stores(), 5u);
  ASSERT_NE(run->timeline(), kRunnerTimeline);
  EXPECT_EQ(driver.charged_timelines(), std::vector<TimelineId>{run->timeline()});
}

TEST_P(DropsAtClose, MapAndUnmapTimeAreThoseOfTheDriverCalls) {
  driver.set_cost(CallKind::kRegister, Picoseconds(1000));
  driver.set_cost(CallKind::kUnregister, Picoseconds(300));
  driver.set_cost(CallKind::kAllocate, Picoseconds(77));
  const DeviceAddr a = block();
  const DeviceAddr b = block();
  driver.fail(CallKind::kRegister, 1, DriverCode::kParaError);
  driver.fail(CallKind::kUnregister, 0, DriverCode::kParaError);
  auto run = open();
  ASSERT_EQ(acquire(*run, a, 8), HostViewStatus::kMapped);
  ASSERT_EQ(acquire(*run, b, 8), HostViewStatus::kNoView);
  run->close_host_views();
  EXPECT_EQ(run->mapping_stats().map_time, Picoseconds(2000)) << "failed ones too";
  EXPECT_EQ(run->mapping_stats().unmap_time, Picoseconds(300)) << "failed ones too";
  EXPECT_EQ(run->mapping_stats().refused, 1u);
  EXPECT_EQ(run->mapping_stats().dropped, 0u);
  run.reset();
  ASSERT_TRUE(runner.free_tensor(a));
  EXPECT_EQ(runner.totals().map_time, Picoseconds(2000));
  EXPECT_EQ(runner.totals().unmap_time, Picoseconds(600)) << "with the retry of the free";
  EXPECT_EQ(runner.totals().dropped, 1u);
}

TEST_P(Cached, MappingStatsAreThoseOfTheRun) {
  const DeviceAddr base = block();
  auto first = open();
  ASSERT_EQ(acquire(*first, base, 8), HostViewStatus::kMapped);
  auto second = open();
  ASSERT_EQ(acquire(*second, base, 8), HostViewStatus::kMapped);
  EXPECT_EQ(first->mapping_stats().established, 1u);
  EXPECT_EQ(second->mapping_stats().established, 0u);
  EXPECT_EQ(runner.totals().established, 1u);
  EXPECT_EQ(runner.held().count, 1u);
}

TEST_P(Cached, FreeThroughTheRunCountsItsUnmap) {
  driver.set_cost(CallKind::kUnregister, Picoseconds(300));
  const DeviceAddr base = block();
  {
    auto earlier = open();
    ASSERT_EQ(acquire(*earlier, base, 8), HostViewStatus::kMapped);
  }
  auto run = open();
  EXPECT_EQ(run->api().device_free(run->api().context, base.value()), 0);
  EXPECT_EQ(run->mapping_stats().dropped, 1u);
  EXPECT_EQ(run->mapping_stats().unmap_time, Picoseconds(300));
}

// Bug S7: a raw register is recorded like every other mapping.
TEST_P(DropsAtClose, RawRegisterMapsTheWholeAllocationUntilThePairedUnregister) {
  const DeviceAddr base = block(Bytes(1000));
  auto run = open();
  void* view = raw_register(*run, base, 8);
  EXPECT_EQ(view, driver.bytes_at(base));
  EXPECT_EQ(driver.mappings().at(base), Bytes(1000));
  EXPECT_EQ(runner.held().count, 1u);
  EXPECT_EQ(error_of(runner.free_tensor(base)), ErrorCode::kInUse);
  EXPECT_EQ(raw_unregister(*run, base), 0);
  EXPECT_EQ(mapped(), 0u);
  EXPECT_EQ(raw_unregister(*run, base), -1) << "once";
}

TEST_P(DropsAtClose, RawRegisterIsGivenBackAtCloseIfNobodyUnregistered) {
  const DeviceAddr base = block();
  auto run = open();
  ASSERT_NE(raw_register(*run, base, 8), nullptr);
  run.reset();
  EXPECT_EQ(mapped(), 0u);
  EXPECT_EQ(driver.sequence(), "allocate register unregister");
}

TEST_P(DropsAtClose, RawUnregisterLeavesTheViewThatTheSameRunAcquired) {
  const DeviceAddr base = block();
  auto run = open();
  ASSERT_NE(raw_register(*run, base, 8), nullptr);
  ASSERT_EQ(acquire(*run, base, 8), HostViewStatus::kMapped);
  EXPECT_EQ(raw_unregister(*run, base), 0);
  EXPECT_EQ(mapped(), 1u);
  run->close_host_views();
  EXPECT_EQ(mapped(), 0u);
  EXPECT_EQ(driver.sequence(), "allocate register unregister");
}

TEST_P(DropsAtClose, RawUnregisterReturnsTheDriversCode) {
  const DeviceAddr base = block();
  auto run = open();
  ASSERT_NE(raw_register(*run, base, 8), nullptr);
  driver.fail_next(CallKind::kUnregister, DriverCode::kParaError);
  EXPECT_EQ(raw_unregister(*run, base), 8);
  EXPECT_EQ(runner.quarantined().size(), 1u);
  EXPECT_EQ(raw_register(*run, base, 8), nullptr);
}

TEST_P(Cached, RawUnregisterKeepsTheMappingForTheNextRun) {
  const DeviceAddr base = block();
  auto run = open();
  ASSERT_NE(raw_register(*run, base, 8), nullptr);
  EXPECT_EQ(raw_unregister(*run, base), 0);
  EXPECT_EQ(mapped(), 1u);
  EXPECT_TRUE(runner.free_tensor(base)) << "the run holds it no longer";
  EXPECT_EQ(driver.sequence(), "allocate register unregister free");
}

// Bug D1: twice is a clean refusal that leaves the first and the next alone.
TEST_P(Cached, SecondRawRegisterOfOneBaseIsRefused) {
  const DeviceAddr base = block();
  auto run = open();
  void* view = raw_register(*run, base, 8);
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(raw_register(*run, base, 8), nullptr);
  EXPECT_EQ(raw_unregister(*run, base), 0);
  EXPECT_EQ(raw_register(*run, base, 8), view);
  EXPECT_EQ(driver.count(CallKind::kRegister), 1u);
}

TEST_P(Cached, RawRegisterIsNullOnAnyFailure) {
  const DeviceAddr base = block(Bytes(100));
  const DeviceAddr refused = block();
  auto run = open();
  EXPECT_EQ(raw_register(*run, base, 101), nullptr);
  EXPECT_EQ(raw_register(*run, base, 0), nullptr);
  EXPECT_EQ(raw_register(*run, base + Bytes(1), 8), nullptr) << "not a base";
  EXPECT_EQ(raw_register(*run, base + kPage + kPage, 8), nullptr) << "not ours";
  driver.fail_next(CallKind::kRegister, DriverCode::kNotSupport);
  EXPECT_EQ(raw_register(*run, refused, 8), nullptr);
  EXPECT_EQ(raw_unregister(*run, refused), -1);
  EXPECT_NE(raw_register(*run, base, 100), nullptr) << "bug F2: no failure sticks to an unrelated call";
}

TEST(RunContextWithoutHostMapPath, NothingIsRegistered) {
  FakeDriver driver(MappingPlace::kIdentity, Capabilities{.host_map_path = false});
  DeviceRunner runner(driver, RunnerConfig{});
  const std::uint64_t base = runner.device_malloc(kPage).value().value();
  auto run = runner.open_run().value();
  const HostApi& api = run->api();
  void* view = nullptr;
  EXPECT_EQ(api.acquire_child_memory_host_view(api.context, base, 8, &view), HostViewStatus::kNoView);
  EXPECT_EQ(api.register_device_memory_to_host(api.context, base, 8), nullptr);
  EXPECT_EQ(driver.sequence(), "allocate");
}

}  // namespace
}  // namespace svmrt
