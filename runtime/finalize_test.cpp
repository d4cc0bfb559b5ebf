// SPDX-License-Identifier: Apache-2.0
// Required behaviours covered here:
//   21 finalize      MappingsGoBeforeTheFirstFree, BlockThatCannotBeUnmappedIsReportedAndNotFreed, ...
//   22 device lost   DeviceLossForgetsEverythingWithoutADriverCall, OpenRunSeesDeviceLoss, ...
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "runtime/device_runner.h"
#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::error_of;
using testing::FakeDriver;
using testing::kPage;
using testing::MappingPlace;

class Finalize : public ::testing::Test {
 protected:
  Finalize() { runner.emplace(driver, RunnerConfig{Policy::kCached, log.sink()}); }

  DeviceAddr mapped_block() {
    const DeviceAddr base = runner->device_malloc(kPage).value();
    auto run = runner->open_run().value();
    void* view = nullptr;
    EXPECT_EQ(run->api().acquire_child_memory_host_view(run->api().context, base.value(), 8, &view),
              HostViewStatus::kMapped);
    return base;
  }

  testing::LogCollector log;
  FakeDriver driver{MappingPlace::kElsewhere};
  std::optional<DeviceRunner> runner;
};

// Also bugs L1 and L2.
TEST_F(Finalize, MappingsGoBeforeTheFirstFree) {
  mapped_block();
  ASSERT_TRUE(runner->device_malloc(kPage));
  mapped_block();
  const auto report = runner->finalize();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unmapped, 2u);
  EXPECT_EQ(report->freed, 3u);
  EXPECT_TRUE(report->quarantined.empty());
  EXPECT_EQ(driver.sequence(), "allocate register allocate allocate register unregister unregister free free free");
  EXPECT_EQ(driver.live_blocks(), 0u);
  EXPECT_TRUE(driver.mappings().empty());
  EXPECT_EQ(runner->live_allocations(), 0u);
}

TEST_F(Finalize, RunsOpenMeansInUseAndNothingDone) {
  mapped_block();
  auto run = runner->open_run().value();
  const auto before = driver.sequence();
  EXPECT_EQ(error_of(runner->finalize()), ErrorCode::kInUse);
  EXPECT_EQ(driver.sequence(), before);
  EXPECT_TRUE(runner->device_malloc(kPage)) << "the runner is still in business";
  run.reset();
  EXPECT_TRUE(runner->finalize());
}

TEST_F(Finalize, BlockThatCannotBeUnmappedIsReportedAndNotFreed) {
  const DeviceAddr a = mapped_block();
  const DeviceAddr b = mapped_block();
  driver.fail_next(CallKind::kUnregister, DriverCode::kIoctlFail);
  const auto report = runner->finalize();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unmapped, 1u);
  EXPECT_EQ(report->freed, 1u);
  ASSERT_EQ(report->quarantined.size(), 1u);
  EXPECT_EQ(report->quarantined[0].base, a);
  EXPECT_EQ(report->quarantined[0].code, DriverCode::kIoctlFail);
  EXPECT_EQ(driver.calls().back().address, b);
  EXPECT_EQ(driver.live_blocks(), 1u);

  const auto second = runner->finalize();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->unmapped, 1u);
  EXPECT_EQ(second->freed, 1u);
  EXPECT_TRUE(second->quarantined.empty());
  EXPECT_EQ(driver.live_blocks(), 0u);
}

TEST_F(Finalize, BlockThatCannotBeFreedIsReported) {
  const DeviceAddr a = mapped_block();
  ASSERT_TRUE(runner->device_malloc(kPage));
  driver.fail_next(CallKind::kFree, DriverCode::kBusy);
  const auto report = runner->finalize();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->freed, 1u);
  ASSERT_EQ(report->quarantined.size(), 1u);
  EXPECT_EQ(report->quarantined[0].base, a);
  EXPECT_EQ(report->quarantined[0].reason, "free failed: BUSY (13)");
  EXPECT_EQ(runner->failures().free, 1u);
  EXPECT_EQ(runner->finalize()->freed, 1u);
}

TEST_F(Finalize, QuarantinedBlockGetsOneMoreTry) {
  const DeviceAddr base = mapped_block();
  driver.fail_next(CallKind::kUnregister, DriverCode::kParaError);
  ASSERT_EQ(error_of(runner->free_tensor(base)), ErrorCode::kUnregisterFailed);
  const auto report = runner->finalize();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unmapped, 1u);
  EXPECT_EQ(report->freed, 1u);
  EXPECT_TRUE(report->quarantined.empty());
}

TEST_F(Finalize, AfterwardsEveryCallIsRefused) {
  const DeviceAddr base = mapped_block();
  ASSERT_TRUE(runner->finalize());
  const auto before = driver.sequence();
  EXPECT_EQ(error_of(runner->device_malloc(kPage)), ErrorCode::kFinalized);
  EXPECT_EQ(error_of(runner->free_tensor(base)), ErrorCode::kFinalized);
  EXPECT_EQ(error_of(runner->open_run()), ErrorCode::kFinalized);
  EXPECT_EQ(driver.sequence(), before);
}

TEST_F(Finalize, EmptyRunnerFinalizesToAnEmptyReport) {
  const auto report = runner->finalize();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unmapped + report->freed, 0u);
  EXPECT_EQ(driver.sequence(), "");
}

TEST_F(Finalize, DestructorFinalizesIfNobodyDid) {
  mapped_block();
  runner.reset();
  EXPECT_EQ(driver.sequence(), "allocate register unregister free");
}

TEST_F(Finalize, DestructorDoesNotFinalizeTwice) {
  mapped_block();
  driver.fail_always(CallKind::kUnregister, DriverCode::kParaError);
  ASSERT_EQ(runner->finalize()->quarantined.size(), 1u);
  runner.reset();
  EXPECT_EQ(driver.count(CallKind::kUnregister), 1u);
}

TEST(FinalizeDeathTest, DestroyingARunnerWithOpenRunsAborts) {
  FakeDriver driver;
  EXPECT_DEATH(
      {
        std::optional<DeviceRunner> runner(std::in_place, driver, RunnerConfig{});
        auto run = runner->open_run().value();
        runner.reset();
      },
      "runs were open");
}

TEST_F(Finalize, DeviceLossForgetsEverythingWithoutADriverCall) {
  const DeviceAddr base = mapped_block();
  const auto before = driver.sequence();
  runner->device_lost();
  EXPECT_EQ(runner->live_allocations(), 0u);
  EXPECT_EQ(runner->held().count, 0u);
  EXPECT_EQ(runner->held().bytes, Bytes(0));
  EXPECT_TRUE(runner->quarantined().empty());
  EXPECT_EQ(error_of(runner->device_malloc(kPage)), ErrorCode::kDeviceLost);
  EXPECT_EQ(error_of(runner->free_tensor(base)), ErrorCode::kDeviceLost);
  EXPECT_EQ(error_of(runner->open_run()), ErrorCode::kDeviceLost);
  EXPECT_EQ(error_of(runner->finalize()), ErrorCode::kDeviceLost);
  runner.reset();
  EXPECT_EQ(driver.sequence(), before);
}

// Also bug S8: a run that outlives the device gets no view and makes no call.
TEST_F(Finalize, OpenRunSeesDeviceLoss) {
  const DeviceAddr base = mapped_block();
  auto run = runner->open_run().value();
  const HostApi& api = run->api();
  void* view = nullptr;
  ASSERT_EQ(api.acquire_child_memory_host_view(api.context, base.value(), 8, &view), HostViewStatus::kMapped);
  const auto before = driver.sequence();
  runner->device_lost();
  std::array<std::byte, 8> buffer{};
  EXPECT_EQ(api.acquire_child_memory_host_view(api.context, base.value(), 8, &view), HostViewStatus::kUnavailable);
  EXPECT_EQ(api.register_device_memory_to_host(api.context, base.value(), 8), nullptr);
  EXPECT_EQ(api.copy_to_device(api.context, base.value(), buffer.data(), 8), -1);
  EXPECT_EQ(api.copy_from_device(api.context, buffer.data(), base.value(), 8), -1);
  EXPECT_EQ(api.device_memset(api.context, base.value(), 0, 8), -1);
  EXPECT_EQ(api.device_malloc(api.context, 8), 0u);
  EXPECT_EQ(api.device_free(api.context, base.value()), -1);
  run.reset();
  EXPECT_EQ(driver.sequence(), before);
  EXPECT_EQ(driver.open_timelines(), 0u);
}

TEST_F(Finalize, BlockWhoseFreeFailsWithTheDeviceIsForgotten) {
  const DeviceAddr base = runner->device_malloc(kPage).value();
  driver.fail_next(CallKind::kFree, DriverCode::kNoDevice);
  driver.before_call = [&](CallKind kind) {
    if (kind == CallKind::kFree) runner->device_lost();
  };
  EXPECT_EQ(error_of(runner->free_tensor(base)), ErrorCode::kDriver);
  EXPECT_EQ(runner->live_allocations(), 0u);
  EXPECT_TRUE(runner->quarantined().empty());
}

TEST_F(Finalize, DeviceLossAfterFinalizeForgetsTheQuarantined) {
  mapped_block();
  driver.fail_always(CallKind::kUnregister, DriverCode::kParaError);
  ASSERT_EQ(runner->finalize()->quarantined.size(), 1u);
  runner->device_lost();
  EXPECT_TRUE(runner->quarantined().empty());
  EXPECT_EQ(error_of(runner->finalize()), ErrorCode::kDeviceLost);
}

}  // namespace
}  // namespace svmrt
