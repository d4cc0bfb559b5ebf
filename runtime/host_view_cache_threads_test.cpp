// SPDX-License-Identifier: Apache-2.0
// Behaviour 26: a second thread that wants a record in transition waits, and one driver call serves both. The driver
// call of the first thread is held open until the second was seen waiting, or came through without waiting, so that a
// cache that does not wait fails a check instead of hanging the test.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "runtime/host_view_cache.h"
#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::error_of;
using testing::FakeDriver;
using testing::kPage;
using testing::MappingPlace;

class CacheThreads : public ::testing::Test {
 protected:
  explicit CacheThreads(Policy policy = Policy::kRebuild) : cache(driver, policy, journal) {}
  DeviceAddr block() {
    const DeviceAddr base = driver.allocate(kRunnerTimeline, kPage).address;
    EXPECT_TRUE(cache.add(base, kPage));
    return base;
  }
  HostViewStatus acquire(RunViews& run, DeviceAddr device) {
    void* view = nullptr;
    const HostViewStatus status = cache.acquire(run, device, Bytes(8), ViewUse::kAcquired, &view);
    EXPECT_EQ(view, status == HostViewStatus::kMapped ? driver.bytes_at(device) : nullptr);
    return status;
  }
  // Runs `first`, and `second` on another thread as soon as `first` is inside its driver call of `kind`, which
  // returns only when `second` waits for the record, or is done.
  void overlap(CallKind kind, const std::function<void()>& first, const std::function<void()>& second) {
    std::atomic<bool> started{false};
    std::atomic<bool> second_done{false};
    std::thread other;
    driver.before_call = [&](CallKind called) {
      if (called != kind || started.exchange(true)) return;
      other = std::thread([&] {
        second();
        second_done = true;
      });
      while (!second_done) {
        if (cache.waiting_threads() > 0) {
          second_waited = true;
          break;
        }
        std::this_thread::yield();
      }
    };
    first();
    ASSERT_TRUE(started);
    other.join();
    driver.before_call = nullptr;
  }

  FakeDriver driver{MappingPlace::kElsewhere};
  Journal journal{LogSink{}};
  HostViewCache cache;
  RunViews first_run{kRunnerTimeline};
  RunViews second_run{kRunnerTimeline};
  bool second_waited = false;
};

TEST_F(CacheThreads, TwoThreadsThatWantOneAllocationMakeOneRegisterCall) {
  const DeviceAddr base = block();
  HostViewStatus first = HostViewStatus::kNoView;
  HostViewStatus second = HostViewStatus::kNoView;
  overlap(
      CallKind::kRegister, [&] { first = acquire(first_run, base); },
      [&] { second = acquire(second_run, base + Bytes(64)); });
  EXPECT_TRUE(second_waited);
  EXPECT_EQ(first, HostViewStatus::kMapped);
  EXPECT_EQ(second, HostViewStatus::kMapped);
  EXPECT_EQ(driver.count(CallKind::kRegister), 1u);
  EXPECT_EQ(first_run.stats().established, 1u);
  EXPECT_EQ(second_run.stats().established, 0u);
  EXPECT_EQ(second_run.stats().map_time, Picoseconds(0)) << "waiting is not map time";
  cache.release_all(first_run);
  EXPECT_EQ(driver.mappings().size(), 1u);
  cache.release_all(second_run);
  EXPECT_TRUE(driver.mappings().empty());
}

TEST_F(CacheThreads, RegisterOfAnotherAllocationDoesNotWait) {
  const DeviceAddr a = block();
  const DeviceAddr b = block();
  HostViewStatus second = HostViewStatus::kNoView;
  overlap(
      CallKind::kRegister, [&] { EXPECT_EQ(acquire(first_run, a), HostViewStatus::kMapped); },
      [&] { second = acquire(second_run, b); });
  EXPECT_FALSE(second_waited);
  EXPECT_EQ(second, HostViewStatus::kMapped);
}

TEST_F(CacheThreads, WaiterSharesTheRefusal) {
  const DeviceAddr base = block();
  driver.fail_always(CallKind::kRegister, DriverCode::kNotSupport);
  HostViewStatus second = HostViewStatus::kMapped;
  overlap(
      CallKind::kRegister, [&] { EXPECT_EQ(acquire(first_run, base), HostViewStatus::kNoView); },
      [&] { second = acquire(second_run, base); });
  EXPECT_TRUE(second_waited);
  EXPECT_EQ(second, HostViewStatus::kNoView);
  EXPECT_EQ(driver.count(CallKind::kRegister), 1u);
}

TEST_F(CacheThreads, WaiterOfAnotherRunTriesItselfAfterAnOrdinaryFailure) {
  const DeviceAddr base = block();
  driver.fail(CallKind::kRegister, 0, DriverCode::kParaError);
  HostViewStatus second = HostViewStatus::kNoView;
  overlap(
      CallKind::kRegister, [&] { EXPECT_EQ(acquire(first_run, base), HostViewStatus::kNoView); },
      [&] { second = acquire(second_run, base); });
  EXPECT_TRUE(second_waited);
  EXPECT_EQ(second, HostViewStatus::kMapped);
  EXPECT_EQ(driver.count(CallKind::kRegister), 2u);
}

TEST_F(CacheThreads, AcquireDuringAnUnregisterWaitsAndMapsAnew) {
  const DeviceAddr base = block();
  ASSERT_EQ(acquire(first_run, base), HostViewStatus::kMapped);
  HostViewStatus second = HostViewStatus::kNoView;
  overlap(
      CallKind::kUnregister, [&] { cache.release_all(first_run); }, [&] { second = acquire(second_run, base); });
  EXPECT_TRUE(second_waited);
  EXPECT_EQ(second, HostViewStatus::kMapped);
  EXPECT_EQ(driver.sequence(), "allocate register unregister register");
  EXPECT_EQ(cache.held().count, 1u);
}

TEST_F(CacheThreads, AcquireDuringAFailingUnregisterGetsNoView) {
  const DeviceAddr base = block();
  ASSERT_EQ(acquire(first_run, base), HostViewStatus::kMapped);
  driver.fail_always(CallKind::kUnregister, DriverCode::kParaError);
  HostViewStatus second = HostViewStatus::kMapped;
  overlap(
      CallKind::kUnregister, [&] { cache.release_all(first_run); }, [&] { second = acquire(second_run, base); });
  EXPECT_TRUE(second_waited);
  EXPECT_EQ(second, HostViewStatus::kNoView);
}

TEST_F(CacheThreads, FreeDuringAnUnregisterWaitsAndMakesNoSecondOne) {
  const DeviceAddr base = block();
  ASSERT_EQ(acquire(first_run, base), HostViewStatus::kMapped);
  bool taken = false;
  overlap(
      CallKind::kUnregister, [&] { cache.release_all(first_run); },
      [&] { taken = cache.take(base, Caller{}).has_value(); });
  EXPECT_TRUE(second_waited);
  EXPECT_TRUE(taken);
  EXPECT_EQ(driver.count(CallKind::kUnregister), 1u);
}

// Bug T2.
TEST_F(CacheThreads, FreeDuringARegisterWaitsAndFindsTheBlockInUse) {
  const DeviceAddr base = block();
  std::optional<ErrorCode> freed;
  overlap(
      CallKind::kRegister, [&] { EXPECT_EQ(acquire(first_run, base), HostViewStatus::kMapped); },
      [&] { freed = error_of(cache.take(base, Caller{})); });
  EXPECT_TRUE(second_waited);
  EXPECT_EQ(freed, ErrorCode::kInUse);
}

// Bug T2, the other way round.
TEST_F(CacheThreads, AcquireDuringAFreeWaitsAndFindsNothing) {
  const DeviceAddr base = block();
  ASSERT_EQ(acquire(first_run, base), HostViewStatus::kMapped);
  driver.fail_next(CallKind::kUnregister, DriverCode::kParaError);  // quarantined: the free has an unregister to make
  cache.release_all(first_run);
  HostViewStatus second = HostViewStatus::kMapped;
  overlap(
      CallKind::kUnregister, [&] { EXPECT_TRUE(cache.take(base, Caller{})); },
      [&] { second = acquire(second_run, base); });
  EXPECT_TRUE(second_waited);
  EXPECT_EQ(second, HostViewStatus::kBadSpan);
}

TEST_F(CacheThreads, SecondFreeDuringAFreeFindsNothing) {
  const DeviceAddr base = block();
  ASSERT_EQ(acquire(first_run, base), HostViewStatus::kMapped);
  driver.fail_next(CallKind::kUnregister, DriverCode::kParaError);
  cache.release_all(first_run);
  std::optional<ErrorCode> second;
  overlap(
      CallKind::kUnregister, [&] { EXPECT_TRUE(cache.take(base, Caller{})); },
      [&] { second = error_of(cache.take(base, Caller{})); });
  EXPECT_TRUE(second_waited);
  EXPECT_EQ(second, ErrorCode::kUnknownAddress);
}

// The address may be in use again before the second free wakes: it must not take the new block for the old one. Which
// of the two happens is up to the schedule, hence the rounds.
TEST_F(CacheThreads, SecondFreeDuringAFreeSparesTheNewBlockAtItsAddress) {
  for (int round = 0; round < 500; ++round) {
    const DeviceAddr base = block();
    RunViews run(kRunnerTimeline);
    ASSERT_EQ(acquire(run, base), HostViewStatus::kMapped);
    driver.fail_next(CallKind::kUnregister, DriverCode::kParaError);
    cache.release_all(run);
    std::optional<ErrorCode> second;
    overlap(
        CallKind::kUnregister,
        [&] {
          EXPECT_TRUE(cache.take(base, Caller{}));
          EXPECT_EQ(driver.free(kRunnerTimeline, base), DriverCode::kNone);
          EXPECT_EQ(block(), base);
        },
        [&] { second = error_of(cache.take(base, Caller{})); });
    EXPECT_EQ(second, ErrorCode::kUnknownAddress);
    ASSERT_TRUE(cache.take(base, Caller{}));
    ASSERT_EQ(driver.free(kRunnerTimeline, base), DriverCode::kNone);
  }
}

TEST_F(CacheThreads, DeviceLossWakesTheWaiter) {
  const DeviceAddr base = block();
  HostViewStatus second = HostViewStatus::kMapped;
  std::atomic<bool> started{false};
  std::atomic<bool> second_done{false};
  std::thread other;
  driver.before_call = [&](CallKind kind) {
    if (kind != CallKind::kRegister || started.exchange(true)) return;
    other = std::thread([&] {
      second = acquire(second_run, base);
      second_done = true;
    });
    while (cache.waiting_threads() == 0 && !second_done) std::this_thread::yield();
    cache.forget_all();
    while (!second_done) std::this_thread::yield();
  };
  EXPECT_EQ(acquire(first_run, base), HostViewStatus::kUnavailable);
  ASSERT_TRUE(started);
  other.join();
  EXPECT_EQ(second, HostViewStatus::kUnavailable);
  EXPECT_EQ(driver.count(CallKind::kRegister), 1u);
}

// A budget of one page.
class BudgetThreads : public CacheThreads {
 protected:
  BudgetThreads() : CacheThreads(Policy::budget(kPage)) {}
};

TEST_F(BudgetThreads, MappingUnderWayCountsAgainstTheBudget) {
  const DeviceAddr a = block();
  const DeviceAddr b = block();
  HostViewStatus second = HostViewStatus::kMapped;
  overlap(
      CallKind::kRegister, [&] { EXPECT_EQ(acquire(first_run, a), HostViewStatus::kMapped); },
      [&] { second = acquire(second_run, b); });
  EXPECT_FALSE(second_waited) << "a mapping under way will be in use";
  EXPECT_EQ(second, HostViewStatus::kNoView);
  EXPECT_EQ(driver.mappings().size(), 1u);
}

TEST_F(BudgetThreads, RoomThatIsBeingMadeIsWaitedForAndGoesToOneOfTwo) {
  const DeviceAddr a = block();
  const DeviceAddr b = block();
  const DeviceAddr c = block();
  ASSERT_EQ(acquire(first_run, a), HostViewStatus::kMapped);
  cache.release_all(first_run);
  HostViewStatus first = HostViewStatus::kNoView;
  HostViewStatus second = HostViewStatus::kNoView;
  overlap(
      CallKind::kUnregister, [&] { first = acquire(first_run, b); }, [&] { second = acquire(second_run, c); });
  EXPECT_TRUE(second_waited);
  EXPECT_EQ((first == HostViewStatus::kMapped) + (second == HostViewStatus::kMapped), 1);
  EXPECT_EQ(driver.mappings().size(), 1u);
  EXPECT_EQ(cache.held().bytes, kPage);
}

}  // namespace
}  // namespace svmrt
