// SPDX-License-Identifier: Apache-2.0
// Required behaviours covered here:
//   18 order of free, bad addresses     FreeUnregistersFirst, FreeOfAnInteriorPointerIsRefused, FreeOfAnUnknown...
//   19 failed unregister                FreeWhileUnregisterFailsKeepsTheBlock, QuarantinedBlockIsNotHandedOutAgain, ...
#include <gtest/gtest.h>

#include "runtime/device_runner.h"
#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::error_of;
using testing::FakeDriver;
using testing::kPage;
using testing::MappingPlace;

class FreeTensor : public ::testing::Test {
 protected:
  void map_in_a_run(DeviceAddr base) {
    auto run = runner.open_run();
    ASSERT_TRUE(run);
    void* view = nullptr;
    ASSERT_EQ((*run)->api().acquire_child_memory_host_view((*run)->api().context, base.value(), 8, &view),
              HostViewStatus::kMapped);
  }

  testing::LogCollector log;
  FakeDriver driver{MappingPlace::kElsewhere};
  DeviceRunner runner{driver, RunnerConfig{Policy::kCached, log.sink()}};
};

TEST_F(FreeTensor, FreeUnregistersFirst) {
  const DeviceAddr base = runner.device_malloc(kPage).value();
  map_in_a_run(base);
  EXPECT_TRUE(runner.free_tensor(base));
  EXPECT_EQ(driver.sequence(), "allocate register unregister free");
  EXPECT_EQ(runner.live_allocations(), 0u);
  EXPECT_EQ(driver.live_blocks(), 0u);
  EXPECT_EQ(runner.failures().total(), 0u);
}

TEST_F(FreeTensor, FreeOfAnUnmappedBlockMakesNoUnregisterCall) {
  const DeviceAddr base = runner.device_malloc(kPage).value();
  EXPECT_TRUE(runner.free_tensor(base));
  EXPECT_EQ(driver.sequence(), "allocate free");
}

TEST_F(FreeTensor, FreeOfAnInteriorPointerIsRefused) {
  const DeviceAddr base = runner.device_malloc(Bytes(100)).value();
  map_in_a_run(base);
  const auto before = driver.sequence();
  EXPECT_EQ(error_of(runner.free_tensor(base + Bytes(1))), ErrorCode::kInteriorAddress);
  EXPECT_EQ(error_of(runner.free_tensor(base + Bytes(99))), ErrorCode::kInteriorAddress);
  EXPECT_EQ(driver.sequence(), before);
  EXPECT_EQ(runner.held().count, 1u);
}

TEST_F(FreeTensor, FreeOfAnUnknownPointerIsRefused) {
  const DeviceAddr base = runner.device_malloc(Bytes(100)).value();
  EXPECT_EQ(error_of(runner.free_tensor(base + Bytes(100))), ErrorCode::kUnknownAddress);
  EXPECT_EQ(error_of(runner.free_tensor(DeviceAddr{})), ErrorCode::kUnknownAddress);
  EXPECT_EQ(driver.sequence(), "allocate");
}

TEST_F(FreeTensor, SecondFreeIsRefused) {
  const DeviceAddr base = runner.device_malloc(kPage).value();
  ASSERT_TRUE(runner.free_tensor(base));
  EXPECT_EQ(error_of(runner.free_tensor(base)), ErrorCode::kUnknownAddress);
  EXPECT_EQ(driver.sequence(), "allocate free");
}

TEST_F(FreeTensor, FreeWhileAnOpenRunHoldsAViewIsRefused) {
  const DeviceAddr base = runner.device_malloc(kPage).value();
  auto run = runner.open_run().value();
  void* view = nullptr;
  ASSERT_EQ(run->api().acquire_child_memory_host_view(run->api().context, base.value(), 8, &view),
            HostViewStatus::kMapped);
  EXPECT_EQ(error_of(runner.free_tensor(base)), ErrorCode::kInUse);
  EXPECT_EQ(run->api().device_free(run->api().context, base.value()), -1) << "nor by the run itself";
  EXPECT_EQ(driver.sequence(), "allocate register");
  run->close_host_views();
  EXPECT_TRUE(runner.free_tensor(base));
}

// Also bugs S6 and L3.
TEST_F(FreeTensor, FreeWhileUnregisterFailsKeepsTheBlock) {
  const DeviceAddr base = runner.device_malloc(kPage).value();
  map_in_a_run(base);
  driver.fail_next(CallKind::kUnregister, DriverCode::kParaError);
  const auto freed = runner.free_tensor(base);
  ASSERT_EQ(error_of(freed), ErrorCode::kUnregisterFailed);
  EXPECT_EQ(freed.error().driver_code, DriverCode::kParaError);
  EXPECT_EQ(driver.count(CallKind::kFree), 0u);
  EXPECT_EQ(runner.live_allocations(), 1u);
  EXPECT_EQ(runner.held().count, 1u) << "nobody confirmed that it is gone";
  EXPECT_EQ(runner.failures().unregister, 1u);
  const auto quarantined = runner.quarantined();
  ASSERT_EQ(quarantined.size(), 1u);
  EXPECT_EQ(quarantined[0].base, base);
  EXPECT_EQ(quarantined[0].size, kPage);
  EXPECT_EQ(quarantined[0].code, DriverCode::kParaError);
  EXPECT_EQ(quarantined[0].reason, "unregister failed: PARA_ERROR (8)");
  EXPECT_EQ(log.count(LogLevel::kError, "unregister_from_host failed with PARA_ERROR (8)"), 1);
}

TEST_F(FreeTensor, LaterFreeRetriesTheUnregister) {
  const DeviceAddr base = runner.device_malloc(kPage).value();
  map_in_a_run(base);
  driver.fail_always(CallKind::kUnregister, DriverCode::kParaError);
  EXPECT_EQ(error_of(runner.free_tensor(base)), ErrorCode::kUnregisterFailed);
  EXPECT_EQ(error_of(runner.free_tensor(base)), ErrorCode::kUnregisterFailed);
  driver.stop_failing(CallKind::kUnregister);
  EXPECT_TRUE(runner.free_tensor(base));
  EXPECT_EQ(driver.sequence(), "allocate register unregister unregister unregister free");
  EXPECT_TRUE(runner.quarantined().empty());
  EXPECT_EQ(runner.held().count, 0u);
}

TEST_F(FreeTensor, QuarantinedBlockGivesNoView) {
  const DeviceAddr base = runner.device_malloc(kPage).value();
  map_in_a_run(base);
  driver.fail_next(CallKind::kUnregister, DriverCode::kParaError);
  ASSERT_EQ(error_of(runner.free_tensor(base)), ErrorCode::kUnregisterFailed);
  auto run = runner.open_run().value();
  void* view = nullptr;
  EXPECT_EQ(run->api().acquire_child_memory_host_view(run->api().context, base.value(), 8, &view),
            HostViewStatus::kNoView);
  EXPECT_EQ(driver.count(CallKind::kRegister), 1u);
}

TEST_F(FreeTensor, QuarantinedBlockIsNotHandedOutAgain) {
  const DeviceAddr base = runner.device_malloc(kPage).value();
  map_in_a_run(base);
  driver.fail_next(CallKind::kUnregister, DriverCode::kParaError);
  ASSERT_EQ(error_of(runner.free_tensor(base)), ErrorCode::kUnregisterFailed);
  EXPECT_NE(runner.device_malloc(kPage).value(), base);
  driver.hand_out(base);  // a driver that gave the memory away all the same
  EXPECT_EQ(error_of(runner.device_malloc(kPage)), ErrorCode::kDriver);
  EXPECT_EQ(log.count(LogLevel::kError, "handed out memory that is in use"), 1);
  EXPECT_EQ(runner.live_allocations(), 2u);
}

TEST_F(FreeTensor, FreeThatTheDriverRefusesKeepsTheBlockUsable) {
  const DeviceAddr base = runner.device_malloc(kPage).value();
  map_in_a_run(base);
  driver.fail_next(CallKind::kFree, DriverCode::kBusy);
  const auto freed = runner.free_tensor(base);
  ASSERT_EQ(error_of(freed), ErrorCode::kDriver);
  EXPECT_EQ(freed.error().driver_code, DriverCode::kBusy);
  EXPECT_EQ(runner.live_allocations(), 1u);
  EXPECT_EQ(runner.held().count, 0u) << "its unregister was confirmed";
  EXPECT_EQ(runner.failures().free, 1u);
  EXPECT_EQ(log.count(LogLevel::kError, "free failed with BUSY (13)"), 1);
  ASSERT_EQ(runner.quarantined().size(), 1u);
  EXPECT_EQ(runner.quarantined()[0].reason, "free failed: BUSY (13)");

  map_in_a_run(base);
  EXPECT_TRUE(runner.free_tensor(base));
  EXPECT_EQ(driver.sequence(), "allocate register unregister free register unregister free");
  EXPECT_TRUE(runner.quarantined().empty());
}

// Bug D2: memory that somebody else registered comes back with an error at register and at free.
TEST_F(FreeTensor, BlockRegisteredBySomebodyElseIsCopiedAndLivesUntilItsFreeSucceeds) {
  const DeviceAddr base = runner.device_malloc(kPage).value();
  ASSERT_EQ(driver.register_to_host(kRunnerTimeline, base, kPage).code, DriverCode::kNone);
  {
    auto run = runner.open_run().value();
    void* view = nullptr;
    EXPECT_EQ(run->api().acquire_child_memory_host_view(run->api().context, base.value(), 8, &view),
              HostViewStatus::kNoView);
  }
  EXPECT_EQ(error_of(runner.free_tensor(base)), ErrorCode::kDriver);
  EXPECT_EQ(driver.count(CallKind::kUnregister), 0u) << "the mapping is not ours to drop";
  ASSERT_EQ(driver.unregister_from_host(kRunnerTimeline, base), DriverCode::kNone);
  EXPECT_TRUE(runner.free_tensor(base));
}

// Bugs S1, S2, S3 and behaviour 23 through the runner: each round reads its own bytes.
TEST_F(FreeTensor, ViewOfARecycledAddressShowsTheNewBytes) {
  for (std::uint32_t round = 0; round < 3; ++round) {
    const DeviceAddr base = runner.device_malloc(kPage).value();
    testing::poke(driver, base, 100 + round);
    {
      auto run = runner.open_run().value();
      void* view = nullptr;
      ASSERT_EQ(run->api().acquire_child_memory_host_view(run->api().context, base.value(), 4, &view),
                HostViewStatus::kMapped);
      EXPECT_EQ(*static_cast<std::uint32_t*>(view), 100 + round);
    }
    ASSERT_TRUE(runner.free_tensor(base));
  }
  EXPECT_EQ(runner.totals().established, 3u);
  EXPECT_EQ(runner.totals().dropped, 3u);
}

}  // namespace
}  // namespace svmrt
