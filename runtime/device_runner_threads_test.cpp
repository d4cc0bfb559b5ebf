// SPDX-License-Identifier: Apache-2.0
// Several runs of one runner on their own threads. Required behaviours covered here:
//   6  accesses on two threads never see each other's regions
//   26 several runs bind at the same time: one mapping per allocation, no driver call and no allocation under the lock
// What is asserted holds for every schedule; the sanitizer builds look for races.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/device_runner.h"
#include "runtime/tensor_access.h"
#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::error_of;
using testing::FakeDriver;
using testing::kPage;
using testing::MappingPlace;

constexpr int kThreads = 4;
constexpr int kRounds = 50;

void on_threads(const std::function<void(std::uint64_t)>& body) {
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kThreads; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(DeviceRunnerThreads, AccessesOnTwoThreadsNeverSeeEachOthersRegions) {
  FakeDriver driver(MappingPlace::kElsewhere);
  DeviceRunner runner(driver, RunnerConfig{});
  const DeviceAddr base = runner.device_malloc(kPage).value();
  std::atomic<int> wrong{0};
  on_threads([&](std::uint64_t i) {
    const DeviceAddr own = base + Bytes(64 * i);
    const DeviceAddr foreign = base + Bytes(64 * ((i + 1) % kThreads));
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      auto run = runner.open_run().value();
      TensorAccess access(&run->api());
      std::uint64_t value = round;
      if (!access.claim_child_memory(own, Bytes(64))) ++wrong;
      if (!access.write(own, &value, Bytes(8)).ok()) ++wrong;
      value = 99;
      if (access.read(foreign, &value, Bytes(8)).status != AccessStatus::kNoRegion || value != 99) ++wrong;
      if (!access.read(own, &value, Bytes(8)).ok() || value != round) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(driver.count(CallKind::kRegister), 1u);
}

TEST(DeviceRunnerThreads, RunsThatShareTensorsMapEachOnceUnderCached) {
  FakeDriver driver(MappingPlace::kElsewhere);
  DeviceRunner runner(driver, RunnerConfig{});
  std::vector<DeviceAddr> tensors;
  for (int i = 0; i < 8; ++i) tensors.push_back(runner.device_malloc(kPage).value());
  on_threads([&](std::uint64_t i) {
    for (int round = 0; round < kRounds; ++round) {
      auto run = runner.open_run().value();
      TensorAccess access(&run->api());
      for (const DeviceAddr tensor : tensors) static_cast<void>(access.claim_child_memory(tensor, kPage));
      std::uint64_t value = 0;
      for (const DeviceAddr tensor : tensors) {
        EXPECT_TRUE(access.read(tensor + Bytes(8 * i), &value, Bytes(8)).ok());
      }
      EXPECT_EQ(access.stats().device_copies, 0u);
    }
  });
  EXPECT_EQ(driver.count(CallKind::kRegister), 8u);
  EXPECT_EQ(runner.held().count, 8u);
  const auto report = runner.finalize();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unmapped, 8u);
  EXPECT_EQ(driver.calls_with_lock_held(), 0u);
}

TEST(DeviceRunnerThreads, RunsThatShareTensorsPairEveryMappingUnderRebuild) {
  FakeDriver driver(MappingPlace::kElsewhere);
  DeviceRunner runner(driver, RunnerConfig{.policy = Policy::kRebuild, .log = {}});
  std::vector<DeviceAddr> tensors;
  for (int i = 0; i < 3; ++i) tensors.push_back(runner.device_malloc(kPage).value());
  on_threads([&](std::uint64_t i) {
    for (int round = 0; round < kRounds; ++round) {
      auto run = runner.open_run().value();
      TensorAccess access(&run->api());
      for (const DeviceAddr tensor : tensors) static_cast<void>(access.claim_child_memory(tensor, kPage));
      for (const DeviceAddr tensor : tensors) {
        std::uint64_t value = i;
        EXPECT_TRUE(access.write(tensor + Bytes(8 * i), &value, Bytes(8)).ok());
        value = 99;
        EXPECT_TRUE(access.read(tensor + Bytes(8 * i), &value, Bytes(8)).ok());
        EXPECT_EQ(value, i);
      }
      EXPECT_EQ(access.stats().device_copies, 0u);
    }
  });
  EXPECT_TRUE(driver.mappings().empty());
  EXPECT_EQ(driver.count(CallKind::kRegister), driver.count(CallKind::kUnregister));
  EXPECT_EQ(runner.failures().total(), 0u);
  EXPECT_EQ(driver.calls_with_lock_held(), 0u);
}

TEST(DeviceRunnerThreads, ThreadsThatAllocateMapAndFreeLeaveNothing) {
  FakeDriver driver(MappingPlace::kElsewhere);
  DeviceRunner runner(driver, RunnerConfig{});
  on_threads([&](std::uint64_t i) {
    for (int round = 0; round < kRounds; ++round) {
      const DeviceAddr base = runner.device_malloc(kPage).value();
      {
        auto run = runner.open_run().value();
        TensorAccess access(&run->api());
        EXPECT_TRUE(access.claim_child_memory(base, kPage));
        EXPECT_TRUE(access.write(base, &i, Bytes(8)).ok());
        EXPECT_EQ(testing::peek<std::uint64_t>(driver, base), i);
      }
      EXPECT_TRUE(runner.free_tensor(base));
      static_cast<void>(runner.quarantined());
    }
  });
  EXPECT_EQ(runner.live_allocations(), 0u);
  EXPECT_EQ(driver.live_blocks(), 0u);
  EXPECT_EQ(runner.failures().total(), 0u);
  EXPECT_EQ(runner.totals().established, static_cast<std::uint64_t>(kThreads * kRounds));
  EXPECT_EQ(runner.totals().dropped, static_cast<std::uint64_t>(kThreads * kRounds));
}

TEST(DeviceRunnerThreads, FreeRacingWithRunsNeverFreesWhatIsMapped) {
  FakeDriver driver(MappingPlace::kElsewhere);
  DeviceRunner runner(driver, RunnerConfig{});
  const DeviceAddr base = runner.device_malloc(kPage).value();
  std::atomic<int> freed{0};
  on_threads([&](std::uint64_t i) {
    for (int round = 0; round < kRounds; ++round) {
      if (i == 0) {
        if (runner.free_tensor(base)) ++freed;
        continue;
      }
      auto run = runner.open_run().value();
      void* view = nullptr;
      const HostViewStatus status =
          run->api().acquire_child_memory_host_view(run->api().context, base.value(), 8, &view);
      EXPECT_TRUE(status == HostViewStatus::kMapped || status == HostViewStatus::kBadSpan);
    }
  });
  EXPECT_LE(freed, 1);
  EXPECT_EQ(runner.failures().total(), 0u) << "a free while mapped would have been busy";
}

// The free's driver call is held open until finalize has shut the door, and for a while longer, in which a finalize
// that does not wait would return.
TEST(DeviceRunnerThreads, FinalizeReturnsOnlyAfterTheFreeUnderWay) {
  constexpr int kWhile = 20'000;
  FakeDriver driver(MappingPlace::kElsewhere);
  DeviceRunner runner(driver, RunnerConfig{});
  const DeviceAddr base = runner.device_malloc(kPage).value();
  std::atomic<bool> free_began{false};
  std::atomic<bool> finalized{false};
  bool finalized_during_free = false;
  driver.before_call = [&](CallKind kind) {
    if (kind != CallKind::kFree) return;
    free_began = true;
    while (error_of(runner.free_tensor(DeviceAddr())) != ErrorCode::kFinalized) std::this_thread::yield();
    for (int i = 0; i < kWhile && !finalized; ++i) std::this_thread::yield();
    finalized_during_free = finalized;
  };
  std::thread freeing([&] { EXPECT_TRUE(runner.free_tensor(base)); });
  while (!free_began) std::this_thread::yield();
  EXPECT_TRUE(runner.finalize());
  finalized = true;
  freeing.join();
  EXPECT_FALSE(finalized_during_free);
  EXPECT_EQ(driver.live_blocks(), 0u);
}

}  // namespace
}  // namespace svmrt
