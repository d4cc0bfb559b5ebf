// SPDX-License-Identifier: Apache-2.0
// Required behaviours covered here:
//   16 one mapping per allocation       SpansOfOneAllocationShareOneMappingAtTheirOwnOffsets, MapsTheRequestedLength...
//   17 bounds and interior pointers     SpanIsServedUpToTheLastByteOfItsOwner, SpanPastTheEndIsRefusedAndNamed, ...
//   20 refusals                         RefusalIsRememberedForTheAllocationsLifetime, OtherFailureIsRetriedInTheNext...
//   22 device lost                      ForgetAllMakesNoDriverCall
//   23 address reuse                    NewAllocationAtTheSameAddressGetsItsOwnMapping
//   24 the key is the device address    UnregisterTakesTheDeviceAddress
//   25 held and established             EstablishedAndHeldAreToldApart, EachMappingIsLoggedWithBytesAndRunningTotal
#include "runtime/host_view_cache.h"

#include <gtest/gtest.h>

#include "runtime/testing/cache_under_test.h"
#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::CacheUnderTest;
using testing::CallKind;
using testing::error_of;
using testing::FakeDriver;
using testing::kPage;
using testing::MappingPlace;

TEST(HostViewCache, SpansOfOneAllocationShareOneMappingAtTheirOwnOffsets) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(kPage);
  ASSERT_EQ(t.acquire(t.run, base + Bytes(100), Bytes(8)), HostViewStatus::kMapped);
  EXPECT_EQ(t.view, t.driver.bytes_at(base + Bytes(100)));
  ASSERT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kMapped);
  EXPECT_EQ(t.view, t.driver.bytes_at(base));
  ASSERT_EQ(t.acquire(t.run, base + Bytes(200), Bytes(1)), HostViewStatus::kMapped);
  EXPECT_EQ(t.view, t.driver.bytes_at(base + Bytes(200)));
  EXPECT_EQ(t.driver.count(CallKind::kRegister), 1u);
}

TEST(HostViewCache, MapsTheRequestedLengthOfTheWholeAllocation) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(Bytes(5000));
  ASSERT_EQ(t.acquire(t.run, base + Bytes(4096), Bytes(4)), HostViewStatus::kMapped);
  const auto mappings = t.driver.mappings();
  ASSERT_EQ(mappings.size(), 1u);
  EXPECT_EQ(mappings.begin()->first, base);
  EXPECT_EQ(mappings.begin()->second, Bytes(5000));
}

TEST(HostViewCache, TwoAllocationsGetTwoMappings) {
  CacheUnderTest t;
  const DeviceAddr a = t.block(kPage);
  const DeviceAddr b = t.block(kPage);
  ASSERT_EQ(t.acquire(t.run, a, kPage), HostViewStatus::kMapped);
  ASSERT_EQ(t.acquire(t.run, b, kPage), HostViewStatus::kMapped);
  EXPECT_EQ(t.driver.mappings().size(), 2u);
  t.cache.release_all(t.run);
  ASSERT_TRUE(t.cache.take(a, Caller{}));
  EXPECT_EQ(t.driver.mappings().count(b), 1u) << "dropping one must not drop its neighbour";
}

TEST(HostViewCache, SpanIsServedUpToTheLastByteOfItsOwner) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(Bytes(100));
  EXPECT_EQ(t.acquire(t.run, base + Bytes(92), Bytes(8)), HostViewStatus::kMapped);
  EXPECT_EQ(t.acquire(t.run, base + Bytes(92), Bytes(9)), HostViewStatus::kBadSpan);
  EXPECT_EQ(t.acquire(t.run, base + Bytes(99), Bytes(1)), HostViewStatus::kMapped);
  EXPECT_EQ(t.acquire(t.run, base + Bytes(100), Bytes(1)), HostViewStatus::kBadSpan);
  EXPECT_EQ(t.acquire(t.run, base, Bytes(0)), HostViewStatus::kBadSpan);
  EXPECT_EQ(t.acquire(t.run, base, Bytes(~std::uint64_t{0})), HostViewStatus::kBadSpan);
}

TEST(HostViewCache, SpanPastTheEndIsRefusedAndNamed) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(Bytes(100));
  EXPECT_EQ(t.acquire(t.run, base, Bytes(101)), HostViewStatus::kBadSpan);
  EXPECT_EQ(t.view, nullptr);
  EXPECT_EQ(t.log.count(LogLevel::kError, block_text(base, Bytes(101))), 1);
  EXPECT_EQ(t.log.count(LogLevel::kError, block_text(base, Bytes(100))), 1);
  EXPECT_EQ(t.driver.sequence(), "allocate");
}

TEST(HostViewCache, UnknownAddressIsRefusedWithoutADriverCall) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(Bytes(100));
  EXPECT_EQ(t.acquire(t.run, base + kPage, Bytes(1)), HostViewStatus::kBadSpan);
  EXPECT_EQ(t.log.count(LogLevel::kError, "in no live allocation"), 1);
  EXPECT_EQ(t.driver.sequence(), "allocate");
}

TEST(HostViewCache, BadSpanIsABadSpanWhereNothingCanBeMapped) {
  CacheUnderTest copy_only(Policy::kCopyOnly);
  const DeviceAddr base = copy_only.block(Bytes(100));
  EXPECT_EQ(copy_only.acquire(copy_only.run, base, Bytes(101)), HostViewStatus::kBadSpan);
  EXPECT_EQ(copy_only.acquire(copy_only.run, base, Bytes(100)), HostViewStatus::kNoView);
}

TEST(HostViewCache, NoHostMapPathMeansNoRegisterCallEver) {
  CacheUnderTest t(Policy::kCached, MappingPlace::kIdentity, Capabilities{.host_map_path = false});
  const DeviceAddr base = t.block(kPage);
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kNoView);
  EXPECT_EQ(t.acquire(t.run, base, kPage, ViewUse::kRegistered), HostViewStatus::kNoView);
  EXPECT_EQ(t.driver.sequence(), "allocate");
}

TEST(HostViewCache, RefusalIsRememberedForTheAllocationsLifetime) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(kPage);
  t.driver.fail_next(CallKind::kRegister, DriverCode::kNotSupport);
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kNoView);
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kNoView);
  RunViews next(kRunnerTimeline);
  EXPECT_EQ(t.acquire(next, base, kPage), HostViewStatus::kNoView);
  EXPECT_EQ(t.driver.count(CallKind::kRegister), 1u);
  EXPECT_EQ(t.cache.totals().refused, 1u);

  t.free(base);
  EXPECT_EQ(t.driver.count(CallKind::kUnregister), 0u);
  ASSERT_EQ(t.block(kPage), base);
  EXPECT_EQ(t.acquire(next, base, kPage), HostViewStatus::kMapped) << "a new allocation is asked for anew";
}

TEST(HostViewCache, OtherFailureIsRetriedInTheNextRunButNotInThisOne) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(kPage);
  t.driver.fail_next(CallKind::kRegister, DriverCode::kParaError);
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kNoView);
  EXPECT_EQ(t.acquire(t.run, base + Bytes(8), Bytes(8)), HostViewStatus::kNoView);
  EXPECT_EQ(t.driver.count(CallKind::kRegister), 1u);
  RunViews next(kRunnerTimeline);
  EXPECT_EQ(t.acquire(next, base, kPage), HostViewStatus::kMapped);
  EXPECT_EQ(t.driver.count(CallKind::kRegister), 2u);
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kMapped) << "what another run mapped is there to use";
}

TEST(HostViewCache, FailureOfAFreedAllocationDoesNotBindTheNextOneAtItsAddress) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(kPage);
  t.driver.fail_next(CallKind::kRegister, DriverCode::kParaError);
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kNoView);
  t.free(base);
  ASSERT_EQ(t.block(kPage), base);
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kMapped);
}

// Bug F1: a null result must not pass for a view, and what the driver may have mapped must be dropped before the free.
TEST(HostViewCache, SuccessWithoutAnAddressQuarantinesTheRecord) {
  CacheUnderTest t;
  t.driver.return_null_views();
  const DeviceAddr base = t.block(kPage);
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kNoView);
  EXPECT_EQ(t.view, nullptr);
  RunViews next(kRunnerTimeline);
  EXPECT_EQ(t.acquire(next, base, kPage), HostViewStatus::kNoView);
  EXPECT_EQ(t.driver.count(CallKind::kRegister), 1u);
  ASSERT_EQ(t.cache.quarantined().size(), 1u);
  EXPECT_EQ(t.cache.quarantined()[0].reason, "register gave no address: NONE (0)");
  EXPECT_EQ(t.cache.held().count, 1u);
  EXPECT_EQ(t.journal.failures().register_to_host, 1u);
  t.free(base);
  EXPECT_TRUE(t.driver.mappings().empty());
  EXPECT_EQ(t.cache.held().count, 0u);
}

// Also bugs S1, S9, S10.
TEST(HostViewCache, NewAllocationAtTheSameAddressGetsItsOwnMapping) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(kPage);
  ASSERT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kMapped);
  t.cache.release_all(t.run);
  t.free(base);
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kBadSpan) << "nothing lives there";
  ASSERT_EQ(t.block(kPage + kPage), base);
  ASSERT_EQ(t.acquire(t.run, base + kPage, kPage), HostViewStatus::kMapped);
  EXPECT_EQ(t.driver.mappings().at(base), kPage + kPage);
  EXPECT_EQ(t.driver.sequence(), "allocate register unregister free allocate register");
}

// Also bug W2.
TEST(HostViewCache, UnregisterTakesTheDeviceAddress) {
  CacheUnderTest t(Policy::kRebuild, MappingPlace::kElsewhere);
  const DeviceAddr base = t.block(kPage);
  ASSERT_EQ(t.acquire(t.run, base + Bytes(64), Bytes(8)), HostViewStatus::kMapped);
  ASSERT_NE(reinterpret_cast<std::uintptr_t>(t.view), (base + Bytes(64)).value());
  t.cache.release_all(t.run);
  EXPECT_EQ(t.driver.calls().back().kind, CallKind::kUnregister);
  EXPECT_EQ(t.driver.calls().back().address, base);
  EXPECT_TRUE(t.driver.mappings().empty());
}

TEST(HostViewCache, EstablishedAndHeldAreToldApart) {
  CacheUnderTest t;
  const DeviceAddr a = t.block(Bytes(1000));
  const DeviceAddr b = t.block(Bytes(3000));
  ASSERT_EQ(t.acquire(t.run, a, Bytes(4)), HostViewStatus::kMapped);
  ASSERT_EQ(t.acquire(t.run, b, Bytes(4)), HostViewStatus::kMapped);
  t.cache.release_all(t.run);
  EXPECT_EQ(t.run.stats().established, 2u);
  EXPECT_EQ(t.cache.held().count, 2u);
  EXPECT_EQ(t.cache.held().bytes, Bytes(4000));

  RunViews next(kRunnerTimeline);
  ASSERT_EQ(t.acquire(next, a, Bytes(4)), HostViewStatus::kMapped);
  EXPECT_EQ(next.stats().established, 0u);
  t.cache.release_all(next);
  t.free(a);
  EXPECT_EQ(t.cache.held().count, 1u);
  EXPECT_EQ(t.cache.held().bytes, Bytes(3000));
  EXPECT_EQ(t.cache.totals().established, 2u);
  EXPECT_EQ(t.cache.totals().dropped, 1u);
}

TEST(HostViewCache, EachMappingIsLoggedWithBytesAndRunningTotal) {
  CacheUnderTest t;
  const DeviceAddr a = t.block(Bytes(1000));
  const DeviceAddr b = t.block(Bytes(3000));
  ASSERT_EQ(t.acquire(t.run, a, Bytes(4)), HostViewStatus::kMapped);
  ASSERT_EQ(t.acquire(t.run, b, Bytes(4)), HostViewStatus::kMapped);
  ASSERT_EQ(t.acquire(t.run, a, Bytes(8)), HostViewStatus::kMapped);
  EXPECT_EQ(t.log.count(LogLevel::kInfo, "host view mapped: "), 2);
  EXPECT_EQ(t.log.count(LogLevel::kInfo, "(1000 bytes); held now: 1 mappings, 1000 bytes"), 1);
  EXPECT_EQ(t.log.count(LogLevel::kInfo, "(3000 bytes); held now: 2 mappings, 4000 bytes"), 1);
}

TEST(HostViewCache, ForgetAllMakesNoDriverCall) {
  CacheUnderTest t(Policy::kRebuild);
  const DeviceAddr base = t.block(kPage);
  ASSERT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kMapped);
  const std::string before = t.driver.sequence();
  t.cache.forget_all();
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kUnavailable);
  t.cache.release_all(t.run);
  EXPECT_EQ(error_of(t.cache.take(base, Caller{})), ErrorCode::kDeviceLost);
  EXPECT_EQ(error_of(t.cache.add(base, kPage)), ErrorCode::kDeviceLost);
  EXPECT_EQ(t.cache.drop_all(Caller{}), 0u);
  EXPECT_TRUE(t.cache.take_next_unmapped(DeviceAddr{}).empty());
  EXPECT_EQ(t.cache.held().count, 0u);
  EXPECT_EQ(t.cache.live_allocations(), 0u);
  EXPECT_EQ(t.driver.sequence(), before);
}

TEST(HostViewCache, DeviceLostDuringARegisterLeavesNothingBehind) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(kPage);
  t.driver.before_call = [&](CallKind kind) {
    if (kind == CallKind::kRegister) t.cache.forget_all();
  };
  EXPECT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kUnavailable);
  EXPECT_EQ(t.cache.held().count, 0u);
  EXPECT_EQ(t.cache.live_allocations(), 0u);
}

TEST(HostViewCache, DeviceLostDuringAnUnregisterLeavesNothingBehind) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(kPage);
  ASSERT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kMapped);
  t.cache.release_all(t.run);
  t.driver.before_call = [&](CallKind kind) {
    if (kind == CallKind::kUnregister) t.cache.forget_all();
  };
  EXPECT_EQ(error_of(t.cache.take(base, Caller{})), ErrorCode::kDeviceLost);
  EXPECT_EQ(t.cache.held().count, 0u);
}

TEST(HostViewCache, BlockTheDriverHandsOutTwiceIsRefused) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(kPage);
  EXPECT_EQ(error_of(t.cache.add(base, kPage)), ErrorCode::kDriver);
  EXPECT_EQ(error_of(t.cache.add(base + Bytes(64), Bytes(64))), ErrorCode::kDriver);
  EXPECT_EQ(t.cache.live_allocations(), 1u);
}

TEST(HostViewCache, RegisteredUseTakesOnlyABase) {
  CacheUnderTest t;
  const DeviceAddr base = t.block(kPage);
  EXPECT_EQ(t.acquire(t.run, base + Bytes(8), Bytes(8), ViewUse::kRegistered), HostViewStatus::kBadSpan);
  EXPECT_EQ(t.acquire(t.run, base, kPage, ViewUse::kRegistered), HostViewStatus::kMapped);
}

TEST(HostViewCache, ReleaseOfWhatIsNotRegisteredIsRefused) {
  CacheUnderTest t(Policy::kRebuild);
  const DeviceAddr base = t.block(kPage);
  EXPECT_EQ(t.cache.release_registered(t.run, base), -1);
  ASSERT_EQ(t.acquire(t.run, base, kPage), HostViewStatus::kMapped);
  EXPECT_EQ(t.cache.release_registered(t.run, base), -1) << "an acquired view is not a registered one";
  EXPECT_EQ(t.driver.mappings().size(), 1u);
}

}  // namespace
}  // namespace svmrt
