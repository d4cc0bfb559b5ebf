// SPDX-License-Identifier: Apache-2.0
// Child-memory tensors. Required behaviours covered here:
//   3  the returned address is used     ViewElsewhereIsUsedAtTheReturnedAddress (device addresses point nowhere there)
//   9  a claim makes no call            ClaimAloneMakesNoCall
//   10 resolved once per region         MeansIsResolvedOncePerRegionAndRun, BadSpanIsResolvedOnce
//   11 through the view, no copy        ViewServesReadsAndWritesWithoutACopy
//   12 copies                           WithoutAViewEachAccessIsOneExactCopy, FailedCopyFailsTheAccessAndTouchesNothing
//   13 the view belongs to the cache    CloseOfTheAccessLeavesTheView
//   14 staged and child side by side    StagedAndChildRegionsDoNotDisturbEachOther
//   16 own offsets                      RegionsInsideOneAllocationShareItsMapping
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "runtime/device_runner.h"
#include "runtime/tensor_access.h"
#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::FakeDriver;
using testing::kPage;
using testing::kWord;
using testing::MappingPlace;
using testing::peek;
using testing::poke;

class ChildMemory : public ::testing::TestWithParam<MappingPlace> {
 protected:
  ChildMemory() { reset(Policy::kCached); }

  void reset(Policy policy) {
    access.reset();
    run.reset();
    runner.emplace(driver, RunnerConfig{policy, log.sink()});
    next_run();
  }
  void next_run() {
    access.reset();
    run.reset();
    run = runner->open_run().value();
    access.emplace(&run->api());
  }
  DeviceAddr claimed_block(Bytes size = kPage) {
    const DeviceAddr device = runner->device_malloc(size).value();
    EXPECT_TRUE(access->claim_child_memory(device, size));
    return device;
  }
  AccessResult read(DeviceAddr device) { return access->read(device, &value, kWord); }
  AccessResult write(DeviceAddr device, std::uint64_t written) { return access->write(device, &written, kWord); }

  testing::LogCollector log;
  FakeDriver driver{GetParam()};
  std::optional<DeviceRunner> runner;
  std::unique_ptr<RunContext> run;
  std::optional<TensorAccess> access;
  std::uint64_t value = 0;
};

TEST_P(ChildMemory, AReadOfWhichAnotherRunWritesAnyByteIsDeferredAndReachesNothing) {
  const DeviceAddr device = claimed_block();
  const auto producer = runner->open_run().value();
  producer->declare_produced({{device + kWord + Bytes(7), Bytes(2)}});
  value = 42;
  for (const Bytes offset : {kWord, kWord + kWord}) {  // its last byte; its first byte
    const AccessResult deferred = read(device + offset);
    EXPECT_EQ(deferred.status, AccessStatus::kDeferred);
    EXPECT_EQ(deferred.producer, producer->number());
  }
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(access->stats().accesses, 0u);
  EXPECT_EQ(driver.count(CallKind::kRegister), 0u);
  EXPECT_TRUE(read(device).ok());
  EXPECT_TRUE(read(device + kWord + kWord + Bytes(1)).ok());
  EXPECT_TRUE(write(device + kWord, 1).ok());  // writes are the program's affair
  producer->withdraw_produced();
  EXPECT_TRUE(read(device + kWord).ok());
}

INSTANTIATE_TEST_SUITE_P(Place, ChildMemory, ::testing::Values(MappingPlace::kIdentity, MappingPlace::kElsewhere),
                         [](const auto& param_info) {
                           return param_info.param == MappingPlace::kIdentity ? "identity" : "elsewhere";
                         });

TEST_P(ChildMemory, ClaimAloneMakesNoCall) {
  claimed_block();
  claimed_block();
  access->close();
  run->close_host_views();
  EXPECT_EQ(driver.sequence(), "allocate allocate");
  EXPECT_EQ(driver.charge_calls(), 0u);
  EXPECT_EQ(access->stats().regions_with_view, 0u);
}

TEST_P(ChildMemory, ViewElsewhereIsUsedAtTheReturnedAddress) {
  const DeviceAddr device = claimed_block();
  poke(driver, device + Bytes(40), std::uint64_t{123});
  EXPECT_TRUE(read(device + Bytes(40)).ok());
  EXPECT_EQ(value, 123u);
  EXPECT_TRUE(write(device + Bytes(48), 456).ok());
  EXPECT_EQ(peek<std::uint64_t>(driver, device + Bytes(48)), 456u);
}

// Also bug M3: a view at another address is no mirror, nothing is pushed a second time.
TEST_P(ChildMemory, ViewServesReadsAndWritesWithoutACopy) {
  const DeviceAddr device = claimed_block();
  EXPECT_TRUE(read(device).ok());
  EXPECT_TRUE(write(device, 1).ok());
  EXPECT_TRUE(read(device).ok());
  EXPECT_EQ(value, 1u);
  EXPECT_EQ(driver.sequence(), "allocate register");
  EXPECT_EQ(access->stats().accesses, 3u);
  EXPECT_EQ(access->stats().device_copies, 0u);
  EXPECT_EQ(access->stats().view_loads, 2u);
  EXPECT_EQ(access->stats().view_stores, 1u);
  EXPECT_EQ(access->stats().regions_with_view, 1u);
  EXPECT_EQ(access->stats().bytes_with_view, kPage);
}

// Bug M1: what the device writes between two reads is seen.
TEST_P(ChildMemory, ReadsFollowDeviceMemoryOnBothPaths) {
  for (const Policy policy : {Policy::kCached, Policy::kCopyOnly}) {
    reset(policy);
    const DeviceAddr device = claimed_block();
    for (std::uint64_t written : {1u, 2u, 3u}) {
      poke(driver, device, written);
      EXPECT_TRUE(read(device).ok());
      EXPECT_EQ(value, written);
    }
  }
}

TEST_P(ChildMemory, WithoutAViewEachAccessIsOneExactCopy) {
  reset(Policy::kCopyOnly);
  driver.set_cost(CallKind::kCopyFromDevice, Picoseconds(100));
  driver.set_cost(CallKind::kCopyToDevice, Picoseconds(30));
  const DeviceAddr device = claimed_block();
  const std::uint16_t small = 7;
  EXPECT_TRUE(access->write(device + Bytes(3), &small, Bytes(2)).ok());
  EXPECT_TRUE(read(device + Bytes(3)).ok());
  EXPECT_EQ(value, 7u);
  const auto calls = driver.calls();
  ASSERT_EQ(driver.sequence(), "allocate copy_to copy_from");
  EXPECT_EQ(calls[1].address, device + Bytes(3));
  EXPECT_EQ(calls[1].bytes, Bytes(2));
  EXPECT_EQ(calls[2].address, device + Bytes(3));
  EXPECT_EQ(calls[2].bytes, kWord);
  EXPECT_EQ(access->stats().accesses, 2u);
  EXPECT_EQ(access->stats().device_copies, 2u);
  EXPECT_EQ(access->stats().copy_time, Picoseconds(130));
  EXPECT_EQ(access->stats().regions_with_view, 0u);
  access->close();
  EXPECT_EQ(driver.charge_calls(), 0u);
}

TEST_P(ChildMemory, FailedCopyFailsTheAccessAndTouchesNothing) {
  reset(Policy::kCopyOnly);
  const DeviceAddr device = claimed_block();
  value = 55;
  driver.fail_next(CallKind::kCopyFromDevice, DriverCode::kIoctlFail);
  const AccessResult result = read(device);
  EXPECT_EQ(result.status, AccessStatus::kCopyFailed);
  EXPECT_EQ(result.driver_code, 17);
  EXPECT_EQ(value, 55u);
  driver.fail_next(CallKind::kCopyToDevice, DriverCode::kInnerErr);
  EXPECT_EQ(write(device, 1).status, AccessStatus::kCopyFailed);
  EXPECT_EQ(access->stats().device_copies, 2u) << "failed copies are copies";
  EXPECT_TRUE(read(device).ok()) << "the next access tries again";
}

TEST_P(ChildMemory, MeansIsResolvedOncePerRegionAndRun) {
  const DeviceAddr mapped = claimed_block();
  driver.fail(CallKind::kRegister, 1, DriverCode::kParaError);
  const DeviceAddr failing = claimed_block();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(read(mapped).ok());
    EXPECT_TRUE(read(failing).ok());
  }
  EXPECT_EQ(driver.count(CallKind::kRegister), 2u);
  EXPECT_EQ(access->stats().device_copies, 3u);
  next_run();
  ASSERT_TRUE(access->claim_child_memory(failing, kPage));
  EXPECT_TRUE(read(failing).ok());
  EXPECT_EQ(driver.count(CallKind::kRegister), 3u) << "the next run asks again";
  EXPECT_EQ(access->stats().device_copies, 0u);
}

// Bug F3: a refusal is paid for once.
TEST_P(ChildMemory, RefusedAllocationIsCopiedInEveryRunAndAskedForOnce) {
  driver.fail_always(CallKind::kRegister, DriverCode::kNotSupport);
  const DeviceAddr device = claimed_block();
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(read(device).ok());
    EXPECT_EQ(access->stats().device_copies, 1u);
    next_run();
    ASSERT_TRUE(access->claim_child_memory(device, kPage));
  }
  EXPECT_EQ(driver.count(CallKind::kRegister), 1u);
}

// The region as claimed runs past its allocation, so even an access inside the allocation fails.
TEST_P(ChildMemory, BadSpanIsResolvedOnce) {
  for (const Policy policy : {Policy::kCached, Policy::kCopyOnly}) {
    reset(policy);
    const DeviceAddr device = runner->device_malloc(Bytes(100)).value();
    const auto before = driver.sequence();
    const int logged_before = log.count(LogLevel::kError, "refused");
    ASSERT_TRUE(access->claim_child_memory(device, Bytes(101)));
    value = 55;
    EXPECT_EQ(read(device).status, AccessStatus::kBadSpan);
    EXPECT_EQ(write(device, 1).status, AccessStatus::kBadSpan);
    EXPECT_EQ(value, 55u);
    EXPECT_EQ(driver.sequence(), before);
    EXPECT_EQ(log.count(LogLevel::kError, "refused"), logged_before + 1) << "asked once";
    EXPECT_EQ(access->stats().accesses, 2u);
    EXPECT_EQ(access->stats().regions_with_view, 0u);
  }
}

TEST_P(ChildMemory, FreedTensorThatIsStillClaimedIsABadSpan) {
  const DeviceAddr device = claimed_block();
  ASSERT_TRUE(runner->free_tensor(device));
  EXPECT_EQ(read(device).status, AccessStatus::kBadSpan);
}

// Bug N1.
TEST_P(ChildMemory, RegionsInsideOneAllocationShareItsMapping) {
  const DeviceAddr base = runner->device_malloc(kPage).value();
  ASSERT_TRUE(access->claim_child_memory(base + Bytes(512), Bytes(64)));
  ASSERT_TRUE(access->claim_child_memory(base + Bytes(1024), Bytes(64)));
  poke(driver, base + Bytes(520), std::uint64_t{5});
  poke(driver, base + Bytes(1024), std::uint64_t{6});
  EXPECT_TRUE(read(base + Bytes(520)).ok());
  EXPECT_EQ(value, 5u);
  EXPECT_TRUE(read(base + Bytes(1024)).ok());
  EXPECT_EQ(value, 6u);
  EXPECT_EQ(read(base).status, AccessStatus::kNoRegion) << "inside the mapping, but nobody claimed it";
  EXPECT_EQ(driver.sequence(), "allocate register");
  EXPECT_EQ(driver.mappings().at(base), kPage);
  EXPECT_EQ(access->stats().regions_with_view, 2u);
  EXPECT_EQ(access->stats().bytes_with_view, Bytes(128));
}

TEST_P(ChildMemory, CloseOfTheAccessLeavesTheView) {
  const DeviceAddr device = claimed_block();
  EXPECT_TRUE(read(device).ok());
  access->close();
  EXPECT_EQ(driver.mappings().size(), 1u);
  run->close_host_views();
  EXPECT_EQ(driver.mappings().size(), 1u) << "cached: until the free";
}

TEST_P(ChildMemory, StagedAndChildRegionsDoNotDisturbEachOther) {
  std::array<std::uint64_t, 4> host{1, 2, 3, 4};
  const DeviceAddr staged = runner->device_malloc(Bytes(32)).value();
  const DeviceAddr output = runner->device_malloc(Bytes(32)).value();
  ASSERT_TRUE(access->add_staged(staged, host.data(), Bytes(32)));
  ASSERT_TRUE(access->add_output_only(output, Bytes(32)));
  const DeviceAddr child = claimed_block();
  poke(driver, child, std::uint64_t{9});
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(read(staged + kWord).ok());
    EXPECT_EQ(value, 2u);
    EXPECT_TRUE(read(child).ok());
    EXPECT_EQ(value, 9u);
    EXPECT_EQ(read(output).status, AccessStatus::kOutputOnly);
  }
  EXPECT_TRUE(write(child, 10).ok());
  EXPECT_TRUE(write(staged, 11).ok());
  EXPECT_EQ(host[0], 11u);
  EXPECT_EQ(peek<std::uint64_t>(driver, staged), 11u);
  EXPECT_EQ(peek<std::uint64_t>(driver, child), 10u);
  EXPECT_EQ(driver.count(CallKind::kCopyToDevice), 1u) << "of the staged write";
  EXPECT_EQ(access->stats().accesses, 3u);
}

TEST_P(ChildMemory, ViewAccessesAreCountedInWords) {
  const DeviceAddr device = claimed_block();
  std::array<std::byte, 32> bytes{};
  for (const unsigned size : {1u, 4u, 8u, 9u, 16u, 17u}) {
    EXPECT_TRUE(access->read(device, bytes.data(), Bytes(size)).ok());
    EXPECT_TRUE(access->write(device, bytes.data(), Bytes(size)).ok());
  }
  // 1 + 1 + 1 + 2 + 2 + 3
  EXPECT_EQ(access->stats().view_loads, 10u);
  EXPECT_EQ(access->stats().view_stores, 10u);
  access->close();
  EXPECT_EQ(driver.charged_loads(), 10u);
  EXPECT_EQ(driver.charged_stores(), 10u);
}

TEST_P(ChildMemory, ResolveAllMapsEveryClaimAndCountsTheViews) {
  reset(Policy::kRegisterAll);
  std::array<std::uint64_t, 4> host{};
  const DeviceAddr staged = runner->device_malloc(Bytes(32)).value();
  ASSERT_TRUE(access->add_staged(staged, host.data(), Bytes(32)));
  claimed_block();
  const DeviceAddr refused = claimed_block();
  driver.fail(CallKind::kRegister, 1, DriverCode::kNotSupport);
  claimed_block();
  EXPECT_EQ(access->resolve_all(), 2u);
  EXPECT_EQ(access->resolve_all(), 2u) << "already resolved ones count";
  EXPECT_EQ(driver.count(CallKind::kRegister), 3u);
  EXPECT_EQ(access->stats().regions_with_view, 2u);
  EXPECT_EQ(access->stats().accesses, 0u) << "a resolve is no access";
  EXPECT_TRUE(read(refused).ok());
  EXPECT_EQ(access->stats().device_copies, 1u);
  run->close_host_views();
  EXPECT_TRUE(driver.mappings().empty());
}

TEST_P(ChildMemory, DeviceLossMakesUnresolvedRegionsUnavailable) {
  const DeviceAddr device = claimed_block();
  runner->device_lost();
  value = 55;
  EXPECT_EQ(read(device).status, AccessStatus::kUnavailable);
  EXPECT_EQ(write(device, 1).status, AccessStatus::kUnavailable);
  EXPECT_EQ(value, 55u);
  EXPECT_EQ(driver.sequence(), "allocate");
}

// A table with a broken acquire (bug F1): success without an address is no view.
TEST(ChildMemoryWithOddApi, MappedWithoutAnAddressFallsBackToCopies) {
  HostApi api;
  int copies = 0;
  api.context = &copies;
  api.acquire_child_memory_host_view = [](void*, std::uint64_t, std::uint64_t, void** view) {
    *view = nullptr;
    return HostViewStatus::kMapped;
  };
  api.copy_from_device = [](void* context, void* host, std::uint64_t, std::uint64_t bytes) {
    ++*static_cast<int*>(context);
    std::memset(host, 1, bytes);
    return std::int32_t{0};
  };
  TensorAccess access(&api);
  ASSERT_TRUE(access.claim_child_memory(DeviceAddr(64), kWord));
  std::uint64_t value = 0;
  EXPECT_TRUE(access.read(DeviceAddr(64), &value, kWord).ok());
  EXPECT_EQ(value, 0x0101010101010101u);
  EXPECT_EQ(copies, 1);
  EXPECT_EQ(access.stats().regions_with_view, 0u);
  EXPECT_EQ(access.stats().copy_time, Picoseconds(0)) << "no clock in this table";
}

TEST_P(ChildMemory, RegionsThatShareOneByteAreToldApart) {
  const DeviceAddr block = runner->device_malloc(kPage).value();
  ASSERT_TRUE(access->add_output_only(block, Bytes(64)));
  ASSERT_TRUE(access->claim_child_memory(block + Bytes(63), Bytes(64)));
  std::uint8_t byte = 0;
  EXPECT_EQ(access->read(block, &byte, Bytes(1)).status, AccessStatus::kOutputOnly);
  EXPECT_EQ(access->read(block + Bytes(62), &byte, Bytes(1)).status, AccessStatus::kOutputOnly);
  EXPECT_TRUE(access->read(block + Bytes(63), &byte, Bytes(1)).ok()) << "the one that does not refuse serves";
}

}  // namespace
}  // namespace svmrt
