// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_runner.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::error_of;
using testing::FakeDriver;
using testing::kPage;

TEST(DeviceRunner, ReportsItsDriverAndPolicy) {
  FakeDriver driver;
  DeviceRunner runner(driver, RunnerConfig{.policy = Policy::kRebuild, .log = {}});
  EXPECT_EQ(&runner.driver(), &driver);
  EXPECT_EQ(runner.policy(), Policy::kRebuild);
  EXPECT_EQ(DeviceRunner(driver, RunnerConfig{}).policy(), Policy::kCached);
}

TEST(DeviceRunner, MallocAsksTheDriverForTheSameSize) {
  FakeDriver driver;
  DeviceRunner runner(driver, RunnerConfig{});
  const auto base = runner.device_malloc(Bytes(100));
  ASSERT_TRUE(base);
  EXPECT_EQ(driver.calls().at(0).address, *base);
  EXPECT_EQ(driver.calls().at(0).bytes, Bytes(100));
  EXPECT_EQ(driver.calls().at(0).timeline, kRunnerTimeline);
  EXPECT_EQ(runner.live_allocations(), 1u);
}

TEST(DeviceRunner, MallocOfNothingIsRefusedWithoutADriverCall) {
  FakeDriver driver;
  DeviceRunner runner(driver, RunnerConfig{});
  EXPECT_EQ(error_of(runner.device_malloc(Bytes(0))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(driver.sequence(), "");
}

TEST(DeviceRunner, FailedMallocCarriesTheDriversCode) {
  testing::LogCollector log;
  FakeDriver driver;
  DeviceRunner runner(driver, RunnerConfig{Policy::kCached, log.sink()});
  driver.fail_next(CallKind::kAllocate, DriverCode::kOutOfMemory);
  const auto base = runner.device_malloc(kPage);
  ASSERT_EQ(error_of(base), ErrorCode::kDriver);
  EXPECT_EQ(base.error().driver_code, DriverCode::kOutOfMemory);
  EXPECT_EQ(runner.failures().allocate, 1u);
  EXPECT_EQ(log.count(LogLevel::kError, "allocate failed with OUT_OF_MEMORY (6)"), 1);
  EXPECT_EQ(runner.live_allocations(), 0u);
}

TEST(DeviceRunner, OutOfMemorySaysHowMuchIsQuarantinedAndWhy) {
  FakeDriver driver;
  DeviceRunner runner(driver, {});
  const DeviceAddr block = runner.device_malloc(Bytes(100)).value();
  driver.fail_always(CallKind::kAllocate, DriverCode::kOutOfMemory);
  EXPECT_EQ(runner.device_malloc(Bytes(8)).error().message.find("quarantined"), std::string::npos);
  driver.fail_next(CallKind::kFree, DriverCode::kBusy);
  ASSERT_FALSE(runner.free_tensor(block).has_value());
  EXPECT_EQ(
      runner.device_malloc(Bytes(8)).error().message,
      "device_malloc: the driver failed with OUT_OF_MEMORY (6); 1 quarantined blocks hold 100 bytes, the first one "
      "because free failed: BUSY (13)");
  driver.fail_next(CallKind::kAllocate, DriverCode::kBusy);
  EXPECT_EQ(runner.device_malloc(Bytes(8)).error().driver_code, DriverCode::kBusy);
}

TEST(DeviceRunner, MallocOverALiveBlockIsAnErrorOfTheDriver) {
  testing::LogCollector log;
  FakeDriver driver;
  DeviceRunner runner(driver, RunnerConfig{Policy::kCached, log.sink()});
  const DeviceAddr base = runner.device_malloc(kPage).value();
  driver.hand_out(base + Bytes(64));
  EXPECT_EQ(error_of(runner.device_malloc(kPage)), ErrorCode::kDriver);
  EXPECT_EQ(log.count(LogLevel::kError, "memory that is in use"), 1);
  EXPECT_EQ(driver.count(CallKind::kFree), 0u) << "that would free the live one";
  EXPECT_EQ(runner.live_allocations(), 1u);
}

TEST(DeviceRunner, MallocThatSucceedsWithoutAnAddressIsAnErrorOfTheDriver) {
  FakeDriver driver;
  DeviceRunner runner(driver, RunnerConfig{});
  driver.hand_out(DeviceAddr{});
  EXPECT_EQ(error_of(runner.device_malloc(kPage)), ErrorCode::kDriver);
  EXPECT_EQ(runner.failures().allocate, 1u);
  EXPECT_EQ(runner.live_allocations(), 0u);
}

TEST(DeviceRunner, RunHasATimelineOfItsOwnUntilItCloses) {
  FakeDriver driver;
  DeviceRunner runner(driver, RunnerConfig{});
  auto first = runner.open_run().value();
  auto second = runner.open_run().value();
  EXPECT_NE(first->timeline(), second->timeline());
  EXPECT_NE(first->timeline(), kRunnerTimeline);
  EXPECT_EQ(&first->driver(), &driver);
  EXPECT_EQ(driver.open_timelines(), 2u);
  first.reset();
  second.reset();
  EXPECT_EQ(driver.open_timelines(), 0u);
}

// Bug T3: the driver may call back into the runner.
TEST(DeviceRunner, DriverMayCallBackIntoTheRunner) {
  FakeDriver driver;
  DeviceRunner runner(driver, RunnerConfig{});
  const DeviceAddr base = runner.device_malloc(kPage).value();
  const DeviceAddr other = runner.device_malloc(kPage).value();
  std::optional<bool> freed;
  std::uint64_t held_inside = 99;
  driver.before_call = [&](CallKind kind) {
    if (kind == CallKind::kRegister) freed = runner.free_tensor(other).has_value();
    if (kind == CallKind::kUnregister) held_inside = runner.held().count;
  };
  {
    auto run = runner.open_run().value();
    void* view = nullptr;
    EXPECT_EQ(run->api().acquire_child_memory_host_view(run->api().context, base.value(), 8, &view),
              HostViewStatus::kMapped);
  }
  EXPECT_EQ(freed, true);
  EXPECT_TRUE(runner.free_tensor(base));
  EXPECT_EQ(held_inside, 1u) << "held until the driver confirms";
}

TEST(DeviceRunner, LogSinkMayCallBackIntoTheRunner) {
  FakeDriver driver;
  DeviceRunner* self = nullptr;
  std::uint64_t seen = 0;
  DeviceRunner runner(driver, RunnerConfig{Policy::kCached, [&](LogLevel, const std::string&) {
                                             EXPECT_FALSE(this_thread_holds_lock());
                                             seen += self->live_allocations();
                                           }});
  self = &runner;
  const DeviceAddr base = runner.device_malloc(kPage).value();
  {
    auto run = runner.open_run().value();
    void* view = nullptr;
    EXPECT_EQ(run->api().acquire_child_memory_host_view(run->api().context, base.value(), 8, &view),
              HostViewStatus::kMapped);
  }
  EXPECT_EQ(seen, 1u);
  driver.fail_next(CallKind::kUnregister, DriverCode::kParaError);
  EXPECT_FALSE(runner.free_tensor(base));
  EXPECT_EQ(seen, 2u);
}

TEST(DeviceRunner, NoDriverCallIsMadeWithALockHeld) {
  FakeDriver driver;
  {
    DeviceRunner runner(driver, RunnerConfig{.policy = Policy::kRebuild, .log = {}});
    const DeviceAddr base = runner.device_malloc(kPage).value();
    const DeviceAddr kept = runner.device_malloc(kPage).value();
    driver.fail(CallKind::kUnregister, 1, DriverCode::kParaError);
    for (const DeviceAddr address : {base, kept}) {
      auto run = runner.open_run().value();
      void* view = nullptr;
      EXPECT_EQ(run->api().acquire_child_memory_host_view(run->api().context, address.value(), 8, &view),
                HostViewStatus::kMapped);
    }
    driver.fail_next(CallKind::kFree, DriverCode::kBusy);
    EXPECT_FALSE(runner.free_tensor(base));
    EXPECT_TRUE(runner.free_tensor(base));
    EXPECT_EQ(runner.quarantined().size(), 1u);
  }
  EXPECT_EQ(driver.live_blocks(), 0u);
  EXPECT_EQ(driver.calls_with_lock_held(), 0u);
}

// Bug Q2: a forked child holds a copy of the books, but the mappings and the memory are its parent's.
TEST(DeviceRunner, ForkedChildMakesNoDriverCall) {
  FakeDriver driver;
  std::optional<DeviceRunner> runner(std::in_place, driver, RunnerConfig{.policy = Policy::kRebuild, .log = {}});
  const DeviceAddr base = runner->device_malloc(kPage).value();
  auto run = runner->open_run().value();
  void* view = nullptr;
  ASSERT_EQ(run->api().acquire_child_memory_host_view(run->api().context, base.value(), 8, &view),
            HostViewStatus::kMapped);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string before = driver.sequence();
    bool good = run->api().acquire_child_memory_host_view(run->api().context, base.value(), 8, &view) ==
                HostViewStatus::kUnavailable;
    run.reset();
    good = good && error_of(runner->free_tensor(base)) == ErrorCode::kDeviceLost;
    good = good && error_of(runner->device_malloc(kPage)) == ErrorCode::kDeviceLost;
    runner.reset();
    good = good && driver.sequence() == before;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  run.reset();
  EXPECT_TRUE(runner->free_tensor(base)) << "the parent is not affected";
}

}  // namespace
}  // namespace svmrt
