// SPDX-License-Identifier: Apache-2.0
// Regions, lookup, staged and output-only tensors, close. Child memory has its own file. Required behaviours here:
//   1  staged registers nothing         StagedRegionNeverRegisters
//   2  staged writes                    StagedWriteChangesBothCopies, FailedPushReportsAndLeavesTheHostBuffer
//   4  no region                        AddressInNoRegionTouchesNothing
//   5  partly covered spans             SpanThatLeavesItsRegionIsRefused, SpanAcrossTwoAdjacentRegions..., Overflow...
//   6  independent accesses             TwoAccessesNeverSeeEachOthersRegions (on threads: device_runner_threads_test)
//   7  refused regions                  NullApiRefusesEveryRegion, EmptyRegionIsRefused, ...
//   8  close                            CloseForgetsTheRegions, DestructorCloses, ClosingTwiceChargesOnce
//   15 pure outputs                     OutputOnlyRefusesBothDirections
#include "runtime/tensor_access.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "runtime/device_runner.h"
#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::FakeDriver;
using testing::kWord;
using testing::MappingPlace;

class TensorAccessTest : public ::testing::Test {
 protected:
  TensorAccessTest() : run(runner.open_run().value()), access(&run->api()) {}

  DeviceAddr block(std::uint64_t size) { return runner.device_malloc(Bytes(size)).value(); }
  AccessStatus read(DeviceAddr device, std::uint64_t size) {
    buffer.fill(kUntouched);
    return access.read(device, buffer.data(), Bytes(size)).status;
  }
  AccessStatus write(DeviceAddr device, std::uint64_t value) { return access.write(device, &value, kWord).status; }
  [[nodiscard]] bool untouched() const {
    for (const std::uint8_t byte : buffer) {
      if (byte != kUntouched) return false;
    }
    return true;
  }

  static constexpr std::uint8_t kUntouched = 0xAB;
  FakeDriver driver{MappingPlace::kElsewhere};
  DeviceRunner runner{driver, RunnerConfig{}};
  std::unique_ptr<RunContext> run;
  std::array<std::uint64_t, 16> host{};
  std::array<std::uint8_t, 256> buffer{};
  TensorAccess access;
};

TEST_F(TensorAccessTest, StagedRegionNeverRegisters) {
  const DeviceAddr device = block(128);
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(128)));
  host[3] = 77;
  std::uint64_t value = 0;
  EXPECT_TRUE(access.read(device + Bytes(24), &value, kWord).ok());
  EXPECT_EQ(value, 77u);
  EXPECT_EQ(write(device, 5), AccessStatus::kOk);
  access.close();
  EXPECT_EQ(driver.sequence(), "allocate copy_to");
  EXPECT_EQ(access.stats().accesses, 0u) << "only child memory counts";
  EXPECT_EQ(access.stats().device_copies, 0u);
  EXPECT_EQ(driver.charge_calls(), 0u);
}

TEST_F(TensorAccessTest, StagedWriteChangesBothCopies) {
  driver.set_cost(CallKind::kCopyToDevice, Picoseconds(40));
  const DeviceAddr device = block(128);
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(128)));
  EXPECT_EQ(write(device + Bytes(16), 99), AccessStatus::kOk);
  EXPECT_EQ(host[2], 99u);
  EXPECT_EQ(testing::peek<std::uint64_t>(driver, device + Bytes(16)), 99u);
  EXPECT_EQ(driver.calls().back().address, device + Bytes(16));
  EXPECT_EQ(driver.calls().back().bytes, kWord);
  EXPECT_EQ(access.stats().push_time, Picoseconds(40));
  EXPECT_EQ(access.stats().copy_time, Picoseconds(0));
}

TEST_F(TensorAccessTest, FailedPushReportsAndLeavesTheHostBuffer) {
  const DeviceAddr device = block(128);
  host[0] = 11;
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(128)));
  driver.fail_next(CallKind::kCopyToDevice, DriverCode::kIoctlFail);
  const std::uint64_t value = 22;
  const AccessResult result = access.write(device, &value, kWord);
  EXPECT_EQ(result.status, AccessStatus::kCopyFailed);
  EXPECT_EQ(result.driver_code, 17);
  EXPECT_EQ(host[0], 11u);
}

TEST_F(TensorAccessTest, AddressInNoRegionTouchesNothing) {
  const DeviceAddr device = block(128);
  EXPECT_EQ(read(device, 8), AccessStatus::kNoRegion) << "no region at all";
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(64)));
  EXPECT_EQ(read(device + Bytes(64), 8), AccessStatus::kNoRegion);
  EXPECT_TRUE(untouched());
  EXPECT_EQ(write(device + Bytes(64), 1), AccessStatus::kNoRegion);
  EXPECT_EQ(driver.sequence(), "allocate");
}

TEST_F(TensorAccessTest, SpanThatLeavesItsRegionIsRefused) {
  const DeviceAddr device = block(128) + Bytes(32);
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(64)));
  EXPECT_EQ(read(device + Bytes(56), 8), AccessStatus::kOk) << "up to the last byte";
  EXPECT_EQ(read(device + Bytes(57), 8), AccessStatus::kNoRegion);
  EXPECT_TRUE(untouched());
  EXPECT_EQ(read(device, 64), AccessStatus::kOk);
  EXPECT_EQ(read(device, 65), AccessStatus::kNoRegion);
  const DeviceAddr before(device.value() - 1);
  EXPECT_EQ(read(before, 8), AccessStatus::kNoRegion);
  EXPECT_EQ(read(before, 66), AccessStatus::kNoRegion);
  EXPECT_EQ(write(device + Bytes(57), 1), AccessStatus::kNoRegion);
  EXPECT_EQ(write(before, 1), AccessStatus::kNoRegion);
  EXPECT_EQ(driver.sequence(), "allocate");
}

TEST_F(TensorAccessTest, SpanAcrossTwoAdjacentRegionsIsRefused) {
  const DeviceAddr device = block(128);
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(64)));
  ASSERT_TRUE(access.add_staged(device + Bytes(64), host.data() + 8, Bytes(64)));
  EXPECT_EQ(read(device + Bytes(60), 8), AccessStatus::kNoRegion);
  EXPECT_EQ(read(device + Bytes(56), 8), AccessStatus::kOk);
  EXPECT_EQ(read(device + Bytes(64), 8), AccessStatus::kOk);
}

TEST_F(TensorAccessTest, OverflowingSpanIsRefused) {
  const DeviceAddr top(~std::uint64_t{0} - 15);
  ASSERT_TRUE(access.add_staged(top, host.data(), Bytes(16)));
  EXPECT_EQ(read(top, 16), AccessStatus::kOk);
  EXPECT_EQ(read(top, 17), AccessStatus::kNoRegion);
  EXPECT_EQ(access.read(top, buffer.data(), Bytes(~std::uint64_t{0})).status, AccessStatus::kNoRegion);
  EXPECT_TRUE(access.read(top + Bytes(8), buffer.data(), kWord).ok());
}

TEST_F(TensorAccessTest, EmptySpanIsInNoRegion) {
  const DeviceAddr device = block(128);
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(64)));
  EXPECT_EQ(access.read(device, buffer.data(), Bytes(0)).status, AccessStatus::kNoRegion);
  // UndefinedBehaviorSanitizer stops at a copy of nothing from null.
  EXPECT_EQ(access.read(device, nullptr, Bytes(0)).status, AccessStatus::kNoRegion);
  EXPECT_EQ(access.write(device, nullptr, Bytes(0)).status, AccessStatus::kNoRegion);
}

TEST_F(TensorAccessTest, NullApiRefusesEveryRegion) {
  TensorAccess none(nullptr);
  EXPECT_FALSE(none.add_staged(DeviceAddr(64), host.data(), kWord));
  EXPECT_FALSE(none.claim_child_memory(DeviceAddr(64), kWord));
  EXPECT_FALSE(none.add_output_only(DeviceAddr(64), kWord));
  EXPECT_EQ(none.read(DeviceAddr(64), buffer.data(), kWord).status, AccessStatus::kNoRegion);
  EXPECT_EQ(none.resolve_all(), 0u);
  none.close();
}

TEST_F(TensorAccessTest, EmptyRegionIsRefused) {
  EXPECT_FALSE(access.add_staged(DeviceAddr(64), host.data(), Bytes(0)));
  EXPECT_FALSE(access.claim_child_memory(DeviceAddr(64), Bytes(0)));
  EXPECT_FALSE(access.add_output_only(DeviceAddr(64), Bytes(0)));
}

TEST_F(TensorAccessTest, NullAddressesAreRefused) {
  EXPECT_FALSE(access.add_staged(DeviceAddr(64), nullptr, kWord));
  EXPECT_FALSE(access.add_staged(DeviceAddr(0), host.data(), kWord));
  EXPECT_FALSE(access.claim_child_memory(DeviceAddr(0), kWord));
  EXPECT_FALSE(access.add_output_only(DeviceAddr(0), kWord));
}

TEST_F(TensorAccessTest, RegionMayEndAtTheTopOfTheAddressSpaceButNotBeyond) {
  const DeviceAddr top(~std::uint64_t{0} - 15);
  EXPECT_TRUE(access.claim_child_memory(top, Bytes(16)));
  EXPECT_FALSE(access.claim_child_memory(top, Bytes(17)));
  EXPECT_FALSE(access.claim_child_memory(DeviceAddr(64), Bytes(~std::uint64_t{0})));
}

TEST_F(TensorAccessTest, RegionWithoutDataRefusesBothDirectionsAndMakesNoCall) {
  const DeviceAddr device = block(128);
  ASSERT_TRUE(access.add_without_data(device, Bytes(64)));
  EXPECT_EQ(read(device, 8), AccessStatus::kNoData);
  EXPECT_TRUE(untouched());
  EXPECT_EQ(write(device, 1), AccessStatus::kNoData);
  EXPECT_EQ(access.resolve_all(), 0u);
  EXPECT_EQ(driver.sequence(), "allocate");
}

TEST_F(TensorAccessTest, OutputOnlyRefusesBothDirections) {
  const DeviceAddr device = block(128);
  ASSERT_TRUE(access.add_output_only(device, Bytes(64)));
  EXPECT_EQ(read(device, 8), AccessStatus::kOutputOnly);
  EXPECT_TRUE(untouched());
  EXPECT_EQ(write(device, 1), AccessStatus::kOutputOnly);
  EXPECT_EQ(read(device + Bytes(60), 8), AccessStatus::kNoRegion) << "it covers no more than its own bytes";
  EXPECT_EQ(access.resolve_all(), 0u);
  EXPECT_EQ(driver.sequence(), "allocate");
}

TEST_F(TensorAccessTest, OverlapGoesToTheFirstAddedRegionThatIsNoOutput) {
  const DeviceAddr device = block(128);
  std::array<std::uint64_t, 16> second{};
  host[1] = 1;
  second[0] = 2;
  ASSERT_TRUE(access.add_output_only(device, Bytes(128)));
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(64)));
  ASSERT_TRUE(access.add_staged(device + kWord, second.data(), Bytes(32)));
  std::uint64_t value = 0;
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(access.read(device + kWord, &value, kWord).ok());
    EXPECT_EQ(value, 1u);
  }
  EXPECT_EQ(read(device + Bytes(64), 8), AccessStatus::kOutputOnly) << "only the output covers it";
  EXPECT_TRUE(access.read(device + kWord, &value, kWord).ok());
  EXPECT_EQ(value, 1u);
}

TEST_F(TensorAccessTest, LongRegionBehindManyShortOnesIsFound) {
  const DeviceAddr device = block(4096);
  std::array<std::uint64_t, 512> large{};
  large[500] = 3;
  for (std::uint64_t i = 0; i < 16; ++i) {
    ASSERT_TRUE(access.add_staged(device + Bytes(256 * i), host.data(), kWord));
  }
  ASSERT_TRUE(access.add_staged(device, large.data(), Bytes(4096)));
  std::uint64_t value = 0;
  EXPECT_TRUE(access.read(device + Bytes(4000), &value, kWord).ok());
  EXPECT_EQ(value, 3u);
  host[0] = 9;
  EXPECT_TRUE(access.read(device + Bytes(3840), &value, kWord).ok());
  EXPECT_EQ(value, 9u) << "the short one was added first";
}

TEST_F(TensorAccessTest, RegionAddedAfterAnAccessIsFound) {
  const DeviceAddr device = block(128);
  ASSERT_TRUE(access.add_staged(device + Bytes(64), host.data(), Bytes(64)));
  EXPECT_EQ(read(device + Bytes(64), 8), AccessStatus::kOk);
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(64)));
  EXPECT_EQ(read(device, 8), AccessStatus::kOk);
  EXPECT_EQ(read(device + Bytes(64), 8), AccessStatus::kOk);
}

TEST_F(TensorAccessTest, TwoAccessesNeverSeeEachOthersRegions) {
  const DeviceAddr a = block(64);
  const DeviceAddr b = block(64);
  auto other_run = runner.open_run().value();
  TensorAccess other(&other_run->api());
  ASSERT_TRUE(access.claim_child_memory(a, Bytes(64)));
  ASSERT_TRUE(other.claim_child_memory(b, Bytes(64)));
  EXPECT_EQ(read(a, 8), AccessStatus::kOk);
  EXPECT_EQ(read(b, 8), AccessStatus::kNoRegion);
  EXPECT_TRUE(other.read(b, buffer.data(), kWord).ok());
  EXPECT_EQ(other.read(a, buffer.data(), kWord).status, AccessStatus::kNoRegion);
  access.close();
  EXPECT_TRUE(other.read(b, buffer.data(), kWord).ok());
}

TEST_F(TensorAccessTest, CloseForgetsTheRegions) {
  const DeviceAddr device = block(128);
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(64)));
  access.close();
  EXPECT_EQ(read(device, 8), AccessStatus::kUnavailable);
  EXPECT_TRUE(untouched());
  EXPECT_EQ(write(device, 1), AccessStatus::kUnavailable);
  EXPECT_FALSE(access.add_staged(device, host.data(), Bytes(64)));
  EXPECT_FALSE(access.claim_child_memory(device, Bytes(64)));
  EXPECT_FALSE(access.add_output_only(device, Bytes(64)));
  EXPECT_EQ(access.resolve_all(), 0u);
  EXPECT_EQ(driver.sequence(), "allocate");
}

TEST_F(TensorAccessTest, ClosingTwiceChargesOnce) {
  const DeviceAddr device = block(128);
  ASSERT_TRUE(access.claim_child_memory(device, Bytes(128)));
  EXPECT_EQ(read(device, 8), AccessStatus::kOk);
  access.close();
  access.close();
  EXPECT_EQ(driver.charge_calls(), 1u);
  EXPECT_EQ(driver.charged_loads(), 1u);
}

TEST_F(TensorAccessTest, DestructorCloses) {
  const DeviceAddr device = block(128);
  {
    TensorAccess scoped(&run->api());
    ASSERT_TRUE(scoped.claim_child_memory(device, Bytes(128)));
    const std::uint64_t value = 1;
    EXPECT_TRUE(scoped.write(device, &value, kWord).ok());
  }
  EXPECT_EQ(driver.charge_calls(), 1u);
  EXPECT_EQ(driver.charged_stores(), 1u);
}

TEST(TensorAccessWithEmptyApi, MissingFunctionsFailCleanly) {
  const HostApi empty;
  TensorAccess access(&empty);
  std::array<std::uint64_t, 2> host{4, 5};
  std::uint64_t value = 9;
  ASSERT_TRUE(access.add_staged(DeviceAddr(64), host.data(), Bytes(16)));
  ASSERT_TRUE(access.claim_child_memory(DeviceAddr(128), Bytes(16)));
  EXPECT_TRUE(access.read(DeviceAddr(72), &value, kWord).ok()) << "needs nothing of the api";
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(access.write(DeviceAddr(72), &value, kWord).status, AccessStatus::kUnavailable);
  EXPECT_EQ(access.resolve_all(), 0u);
  EXPECT_EQ(access.read(DeviceAddr(128), &value, kWord).status, AccessStatus::kUnavailable);
  EXPECT_EQ(access.write(DeviceAddr(128), &value, kWord).status, AccessStatus::kUnavailable);
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(access.stats().accesses, 2u);
  EXPECT_EQ(access.stats().device_copies, 0u);
  access.close();
}

}  // namespace
}  // namespace svmrt
