// SPDX-License-Identifier: Apache-2.0
// Policy budget:BYTES: held bytes stay bounded, the least recently used mapping goes first and never one in use, and
// what cannot fit costs nobody a mapping.
#include <gtest/gtest.h>

#include "runtime/testing/cache_under_test.h"

namespace svmrt {
namespace {

using testing::CacheUnderTest;
using testing::CallKind;

constexpr Bytes kBlock{1000};

class Budget : public ::testing::Test {
 protected:
  // Acquires in a run of its own, which ends at once.
  HostViewStatus use(DeviceAddr base, Bytes bytes = kBlock) {
    RunViews run{kRunnerTimeline};
    const HostViewStatus status = t.acquire(run, base, bytes);
    t.cache.release_all(run);
    return status;
  }
  bool mapped(DeviceAddr base) const { return t.driver.mappings().count(base) == 1; }

  CacheUnderTest t{Policy::budget(Bytes(2000))};
  DeviceAddr a = t.block(kBlock);
  DeviceAddr b = t.block(kBlock);
  DeviceAddr c = t.block(kBlock);
};

TEST_F(Budget, HoldsUpToTheBudgetAndNoByteMore) {
  EXPECT_EQ(use(a), HostViewStatus::kMapped);
  EXPECT_EQ(use(b), HostViewStatus::kMapped);
  EXPECT_EQ(t.cache.held().bytes, Bytes(2000));
  EXPECT_EQ(t.driver.count(CallKind::kUnregister), 0u);
  const DeviceAddr tiny = t.block(Bytes(1));
  EXPECT_EQ(use(tiny, Bytes(1)), HostViewStatus::kMapped);
  EXPECT_EQ(t.cache.held().bytes, Bytes(1001));
}

TEST_F(Budget, LeastRecentlyUsedGoesFirst) {
  use(a);
  use(b);
  use(a);  // from the cache
  EXPECT_EQ(use(c), HostViewStatus::kMapped);
  EXPECT_TRUE(mapped(a));
  EXPECT_FALSE(mapped(b));
  EXPECT_TRUE(mapped(c));
  EXPECT_EQ(t.driver.sequence(), "allocate allocate allocate register register unregister register");
}

TEST_F(Budget, EvictedAllocationIsMappedAnewAtItsNextUse) {
  use(a);
  use(b);
  use(c);
  EXPECT_FALSE(mapped(a));
  EXPECT_EQ(use(a), HostViewStatus::kMapped);
  EXPECT_FALSE(mapped(b));
  EXPECT_EQ(t.driver.count(CallKind::kRegister), 4u);
}

TEST_F(Budget, AsManyAsNeededAreDropped) {
  const DeviceAddr large = t.block(Bytes(1500));
  use(a);
  use(b);
  EXPECT_EQ(use(large, Bytes(1500)), HostViewStatus::kMapped);
  EXPECT_EQ(t.cache.held().count, 1u);
  EXPECT_EQ(t.driver.count(CallKind::kUnregister), 2u);
}

TEST_F(Budget, AllocationOfTheBudgetFitsAndALargerOneNever) {
  const DeviceAddr whole = t.block(Bytes(2000));
  const DeviceAddr larger = t.block(Bytes(2001));
  use(a);
  EXPECT_EQ(use(larger, Bytes(2001)), HostViewStatus::kNoView);
  EXPECT_EQ(use(larger, Bytes(1)), HostViewStatus::kNoView) << "the whole allocation counts, not the span";
  EXPECT_TRUE(mapped(a)) << "nothing is dropped for what cannot fit";
  EXPECT_EQ(use(whole, Bytes(2000)), HostViewStatus::kMapped);
  EXPECT_FALSE(mapped(a));
}

TEST_F(Budget, MappingInUseStaysAndTheNewcomerGoesWithout) {
  RunViews open{kRunnerTimeline};
  ASSERT_EQ(t.acquire(open, a, kBlock), HostViewStatus::kMapped);
  ASSERT_EQ(t.acquire(open, b, kBlock), HostViewStatus::kMapped);
  EXPECT_EQ(use(c), HostViewStatus::kNoView);
  EXPECT_EQ(t.driver.count(CallKind::kUnregister), 0u);
  t.cache.release_all(open);
  EXPECT_EQ(use(c), HostViewStatus::kMapped);
}

TEST_F(Budget, NoIdleMappingIsDroppedWhereThoseInUseLeaveTooLittle) {
  const DeviceAddr large = t.block(Bytes(1500));
  RunViews open{kRunnerTimeline};
  ASSERT_EQ(t.acquire(open, a, kBlock), HostViewStatus::kMapped);
  use(b);
  EXPECT_EQ(use(large, Bytes(1500)), HostViewStatus::kNoView);
  EXPECT_TRUE(mapped(b));
}

TEST_F(Budget, FreedAndRefusedAllocationsGiveTheirShareBack) {
  use(a);
  use(b);
  t.free(a);
  t.driver.fail_next(CallKind::kRegister, DriverCode::kNotSupport);
  EXPECT_EQ(use(c), HostViewStatus::kNoView);
  const DeviceAddr d = t.block(kBlock);
  EXPECT_EQ(use(d), HostViewStatus::kMapped);
  EXPECT_TRUE(mapped(b));
}

TEST_F(Budget, MappingWhoseUnregisterFailedKeepsItsShare) {
  use(a);
  use(b);
  t.driver.fail_next(CallKind::kUnregister, DriverCode::kIoctlFail);
  EXPECT_EQ(use(c), HostViewStatus::kMapped) << "the next idle one makes room";
  EXPECT_TRUE(mapped(a)) << "quarantined";
  EXPECT_FALSE(mapped(b));
  EXPECT_EQ(t.cache.held().bytes, Bytes(2000));
  ASSERT_EQ(t.cache.quarantined().size(), 1u);
  EXPECT_EQ(t.cache.quarantined()[0].base, a);
  EXPECT_EQ(use(a), HostViewStatus::kNoView);
}

TEST_F(Budget, EvictionIsPaidByTheRunThatNeedsTheRoom) {
  use(a);
  use(b);
  t.driver.set_cost(CallKind::kUnregister, Picoseconds(77));
  ASSERT_EQ(t.acquire(t.run, c, kBlock), HostViewStatus::kMapped);
  EXPECT_EQ(t.run.stats().dropped, 1u);
  EXPECT_EQ(t.run.stats().unmap_time, Picoseconds(77));
}

TEST_F(Budget, LossOfTheDeviceForgetsTheShares) {
  use(a);
  use(b);
  t.cache.forget_all();
  EXPECT_EQ(t.cache.held().bytes, Bytes(0));
  EXPECT_EQ(use(c), HostViewStatus::kUnavailable);
}

TEST_F(Budget, SecondGrantInOneRunCountsAsAUse) {
  ASSERT_EQ(t.acquire(t.run, a, kBlock), HostViewStatus::kMapped);
  ASSERT_EQ(t.acquire(t.run, b, kBlock), HostViewStatus::kMapped);
  ASSERT_EQ(t.acquire(t.run, a, kBlock), HostViewStatus::kMapped);
  t.cache.release_all(t.run);
  EXPECT_EQ(use(c), HostViewStatus::kMapped);
  EXPECT_TRUE(mapped(a));
  EXPECT_FALSE(mapped(b));
}

}  // namespace
}  // namespace svmrt
