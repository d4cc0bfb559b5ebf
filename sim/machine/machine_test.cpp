// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/driver/hal_flags.h"
#include "sim/machine/runtime_driver.h"
#include "sim/memory/slice_layout.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;

// Costs of sim/testing/test_machine.h, in picoseconds.
constexpr std::uint64_t kAllocate = 3'000;
constexpr std::uint64_t kFree = 4'000;

class Recorder final : public CallObserver {
 public:
  void on_call(const CallRecord& record) override { records.push_back(record); }
  std::vector<CallRecord> records;
};

class MachineTest : public ::testing::Test {
 protected:
  explicit MachineTest(const Platform& platform = test_platform())
      : machine_(make_test_machine(platform)), driver_(*machine_) {
    machine_->add_observer(recorder_);
  }
  std::uint64_t now() const { return driver_.now_ps(kRunnerTimeline).count(); }
  DeviceAddr allocate(std::uint64_t bytes) { return driver_.allocate(kRunnerTimeline, Bytes(bytes)).address; }

  std::unique_ptr<Machine> machine_;
  RuntimeDriver driver_;
  Recorder recorder_;
};

TEST_F(MachineTest, EachCallAdvancesItsTimelineByItsCost) {
  const DeviceAddr block = allocate(8192);
  EXPECT_EQ(now(), kAllocate);
  ASSERT_EQ(driver_.register_to_host(kRunnerTimeline, block, Bytes(8192)).code, DriverCode::kNone);
  std::uint64_t expected = kAllocate + 1'000'000 + 2 * 1'000 + 2 * 10;  // two ordinary pages, two host pages
  EXPECT_EQ(now(), expected);
  ASSERT_EQ(driver_.unregister_from_host(kRunnerTimeline, block), DriverCode::kNone);
  EXPECT_EQ(now(), expected += 2'000'000 + 2 * 500 + 2 * 20);
  std::uint64_t value = 0;
  ASSERT_EQ(driver_.copy_from_device(kRunnerTimeline, &value, block, Bytes(8)), DriverCode::kNone);
  EXPECT_EQ(now(), expected += 9'000'000 + 8);
  ASSERT_EQ(driver_.copy_to_device(kRunnerTimeline, block, &value, Bytes(8)), DriverCode::kNone);
  EXPECT_EQ(now(), expected += 8'000'000 + 8);
  ASSERT_EQ(driver_.set_memory(kRunnerTimeline, block, 1, Bytes(8)), DriverCode::kNone);
  EXPECT_EQ(now(), expected += 7'000'000);
  driver_.charge_view_accesses(kRunnerTimeline, 3, 2);
  EXPECT_EQ(now(), expected += 3 * 100 + 2 * 30);
  ASSERT_EQ(driver_.free(kRunnerTimeline, block), DriverCode::kNone);
  EXPECT_EQ(now(), expected += kFree);
  machine_->launch(kRunnerTimeline, Picoseconds(123), 1);
  EXPECT_EQ(now(), expected + 123);
}

TEST_F(MachineTest, HugeBlockIsPricedByHugeAndHostPages) {
  const DeviceAddr block = allocate(4 << 20);
  const std::uint64_t before = now();
  ASSERT_EQ(driver_.register_to_host(kRunnerTimeline, block, Bytes(4 << 20)).code, DriverCode::kNone);
  EXPECT_EQ(now() - before, 1'000'000U + 2 * 1'000 + 1024 * 10);
}

TEST_F(MachineTest, FailedCallCostsItsCallTermAndKeepsItsCode) {
  const DeviceAddr block = allocate(4096);
  std::uint64_t before = now();
  EXPECT_EQ(driver_.register_to_host(kRunnerTimeline, block, Bytes(0)).code, DriverCode::kParaError);
  EXPECT_EQ(now() - before, 1'000'000U);
  before = now();
  EXPECT_EQ(driver_.unregister_from_host(kRunnerTimeline, block), DriverCode::kNotExist);  // U2, records on
  EXPECT_EQ(now() - before, 2'000'000U);
  before = now();
  std::uint64_t value = 7;
  EXPECT_NE(driver_.copy_from_device(kRunnerTimeline, &value, DeviceAddr(64), Bytes(8)), DriverCode::kNone);
  EXPECT_EQ(now() - before, 9'000'000U);
  EXPECT_EQ(value, 7U);
  ASSERT_EQ(recorder_.records.size(), 4U);
  EXPECT_EQ(recorder_.records[1].code, DriverCode::kParaError);
  EXPECT_EQ(recorder_.records[2].code, DriverCode::kNotExist);
}

TEST_F(MachineTest, AllocationOfNothingAndOfMoreThanThereIsFail) {
  EXPECT_EQ(driver_.allocate(kRunnerTimeline, Bytes(0)).code, DriverCode::kInvalidValue);
  EXPECT_EQ(driver_.allocate(kRunnerTimeline, Bytes(std::uint64_t{2} << 30)).code, DriverCode::kOutOfMemory);
}

TEST_F(MachineTest, CopiesMoveBytesAndTheViewShowsThem) {
  const DeviceAddr block = allocate(4096);
  const std::uint32_t sent = 0x01020304;
  ASSERT_EQ(driver_.copy_to_device(kRunnerTimeline, block + Bytes(100), &sent, Bytes(4)), DriverCode::kNone);
  const auto mapped = driver_.register_to_host(kRunnerTimeline, block, Bytes(4096));
  ASSERT_EQ(mapped.code, DriverCode::kNone);
  std::uint32_t seen = 0;
  std::memcpy(&seen, static_cast<std::byte*>(mapped.host) + 100, 4);
  EXPECT_EQ(seen, sent);
  const std::uint32_t stored = 0x0a0b0c0d;
  std::memcpy(static_cast<std::byte*>(mapped.host) + 200, &stored, 4);
  ASSERT_EQ(driver_.copy_from_device(kRunnerTimeline, &seen, block + Bytes(200), Bytes(4)), DriverCode::kNone);
  EXPECT_EQ(seen, stored);
}

TEST_F(MachineTest, CopyPastTheBlockFailsAndMovesNothing) {
  const DeviceAddr block = allocate(std::uint64_t{2} << 20);
  std::vector<std::byte> bytes(16, std::byte{1});
  // aclrtMalloc pads by 32 bytes and huge pages round up to 2 MiB: the block ends 4 MiB behind its base.
  const DeviceAddr last = block + Bytes((std::uint64_t{4} << 20) - 8);
  EXPECT_EQ(driver_.copy_to_device(kRunnerTimeline, last, bytes.data(), Bytes(8)), DriverCode::kNone);
  EXPECT_NE(driver_.copy_to_device(kRunnerTimeline, last, bytes.data(), Bytes(16)), DriverCode::kNone);
}

TEST_F(MachineTest, MemoryWithoutDataCostsTimeAndMovesNothing) {
  const DeviceAddr block = allocate(4096);
  std::vector<std::byte> host(4096, std::byte{9});
  machine_->declare_host_without_data(host.data(), Bytes(host.size()));
  const std::uint64_t before = now();
  ASSERT_EQ(driver_.copy_to_device(kRunnerTimeline, block, host.data(), Bytes(4096)), DriverCode::kNone);
  EXPECT_EQ(now() - before, 8'000'000U + 4096);
  EXPECT_FALSE(machine_->has_data(block, Bytes(1)));
  EXPECT_EQ(*machine_->device_bytes(block, Bytes(1)), std::byte{0});
  std::vector<std::byte> other(4096, std::byte{5});
  ASSERT_EQ(driver_.copy_from_device(kRunnerTimeline, other.data(), block, Bytes(4096)), DriverCode::kNone);
  EXPECT_EQ(other[0], std::byte{5});
}

TEST_F(MachineTest, BytesCopiedIntoMemoryWithoutDataGoNowhere) {
  const DeviceAddr block = allocate(4096);
  machine_->declare_device_without_data(block, Bytes(4096));
  const std::vector<std::byte> host(16, std::byte{9});
  const std::uint64_t before = now();
  ASSERT_EQ(driver_.copy_to_device(kRunnerTimeline, block, host.data(), Bytes(16)), DriverCode::kNone);
  EXPECT_EQ(now() - before, 8'000'000U + 16);
  EXPECT_EQ(*machine_->device_bytes(block, Bytes(1)), std::byte{0});
  EXPECT_FALSE(machine_->has_data(block, Bytes(16)));
}

TEST_F(MachineTest, SetMemoryWritesItsSpanAndNothingBeside) {
  const DeviceAddr block = allocate(4096);
  ASSERT_EQ(driver_.set_memory(kRunnerTimeline, block + Bytes(3), 0xab, Bytes(5)), DriverCode::kNone);
  std::vector<std::byte> expected(16);
  std::fill_n(expected.begin() + 3, 5, std::byte{0xab});
  const std::byte* const seen = machine_->device_bytes(block, Bytes(16));
  EXPECT_EQ(std::vector<std::byte>(seen, seen + 16), expected);
}

TEST_F(MachineTest, ViewAccessesOccupyNeitherDriverNorDevice) {
  const TimelineId viewing = driver_.open_timeline();
  const TimelineId other = driver_.open_timeline();
  driver_.charge_view_accesses(viewing, 1000, 0);  // until 100'000
  ASSERT_EQ(driver_.allocate(other, Bytes(4096)).code, DriverCode::kNone);
  machine_->launch(other, Picoseconds(10), 1);
  ASSERT_EQ(recorder_.records.size(), 3U);
  EXPECT_EQ(recorder_.records[1].begin, Picoseconds(0));
  EXPECT_EQ(recorder_.records[2].begin, Picoseconds(kAllocate));
}

TEST_F(MachineTest, LaunchOccupiesTheDeviceAndNotTheDriver) {
  const TimelineId launching = driver_.open_timeline();
  const TimelineId other = driver_.open_timeline();
  machine_->launch(launching, Picoseconds(1'000'000), 1);
  ASSERT_EQ(driver_.allocate(other, Bytes(4096)).code, DriverCode::kNone);
  driver_.charge_view_accesses(other, 1, 0);
  machine_->launch(other, Picoseconds(10), 1);
  ASSERT_EQ(recorder_.records.size(), 4U);
  EXPECT_EQ(recorder_.records[1].begin, Picoseconds(0));
  EXPECT_EQ(recorder_.records[2].begin, Picoseconds(kAllocate));
  EXPECT_EQ(recorder_.records[3].begin, Picoseconds(1'000'000));
  EXPECT_EQ(driver_.now_ps(other), Picoseconds(1'000'010));
}

TEST_F(MachineTest, MemoryWithoutDataIsForgottenWithItsBlock) {
  const DeviceAddr block = allocate(4096);
  machine_->declare_device_without_data(block, Bytes(4096));
  ASSERT_EQ(driver_.free(kRunnerTimeline, block), DriverCode::kNone);
  ASSERT_EQ(allocate(4096), block);
  EXPECT_TRUE(machine_->has_data(block, Bytes(4096)));
}

TEST_F(MachineTest, RecordsComeInSequenceWithBeginAndCost) {
  const DeviceAddr block = allocate(4096);
  ASSERT_EQ(driver_.free(kRunnerTimeline, block), DriverCode::kNone);
  ASSERT_EQ(recorder_.records.size(), 2U);
  EXPECT_EQ(recorder_.records[0].sequence, 0U);
  EXPECT_EQ(recorder_.records[0].address, block);
  EXPECT_EQ(recorder_.records[1].sequence, 1U);
  EXPECT_EQ(recorder_.records[1].begin, Picoseconds(kAllocate));
  EXPECT_EQ(recorder_.records[1].cost, Picoseconds(kFree));
}

TEST_F(MachineTest, RemovedObserverHearsNoMoreCalls) {
  const DeviceAddr block = allocate(4096);
  machine_->remove_observer(recorder_);
  ASSERT_EQ(driver_.free(kRunnerTimeline, block), DriverCode::kNone);
  EXPECT_EQ(recorder_.records.size(), 1U);
}

TEST_F(MachineTest, ObserverCanAskWhatIsMappedDuringACall) {
  class Asker final : public CallObserver {
   public:
    explicit Asker(const Machine& machine) : machine_(machine) {}
    void on_call(const CallRecord& record) override {
      if (record.kind != CallKind::kRegister) return;
      page = machine_.is_mapped_during_call(record.address + Bytes(4095), Bytes(1));
      next = machine_.is_mapped_during_call(record.address + Bytes(4096), Bytes(4096));
    }
    bool page = false;
    bool next = true;

   private:
    const Machine& machine_;
  };
  Asker asker(*machine_);
  machine_->add_observer(asker);
  const DeviceAddr block = allocate(8192);
  ASSERT_EQ(driver_.register_to_host(kRunnerTimeline, block, Bytes(1)).code, DriverCode::kNone);
  EXPECT_TRUE(asker.page);
  EXPECT_FALSE(asker.next);
}

std::uint64_t digest_of_calls(const Platform& platform, std::uint64_t size) {
  const auto machine = make_test_machine(platform);
  RuntimeDriver driver(*machine);
  const DeviceAddr block = driver.allocate(kRunnerTimeline, Bytes(size)).address;
  EXPECT_EQ(driver.register_to_host(kRunnerTimeline, block, Bytes(size)).code, DriverCode::kNone);
  EXPECT_EQ(driver.unregister_from_host(kRunnerTimeline, block), DriverCode::kNone);
  EXPECT_EQ(driver.free(kRunnerTimeline, block), DriverCode::kNone);
  return machine->trace_digest();
}

TEST(MachineDigest, SameCallsGiveTheSameDigestInWhateverSlice) {
  const std::uint64_t alone = digest_of_calls(test_platform(), 4096);
  EXPECT_EQ(digest_of_calls(test_platform(), 4096), alone);
  const auto holds_the_first_slice = make_test_machine();
  EXPECT_EQ(digest_of_calls(test_platform(), 4096), alone);
  EXPECT_NE(digest_of_calls(test_platform(), 4100), alone);
}

TEST(MachineDigest, CostOfACallTakesPart) {
  const auto digest_at_cost = [](Picoseconds allocate) {
    CostParameters costs = test_costs();
    costs.allocate = allocate;
    const auto machine = Machine::create(test_platform(), CostModel(costs));
    EXPECT_TRUE(machine.has_value());
    EXPECT_EQ(RuntimeDriver(**machine).allocate(kRunnerTimeline, Bytes(4096)).code, DriverCode::kNone);
    return (*machine)->trace_digest();
  };
  EXPECT_NE(digest_at_cost(Picoseconds(1)), digest_at_cost(Picoseconds(2)));
}

TEST(MachineDigest, TimelineOfACallTakesPart) {
  const auto on_runner = make_test_machine();
  const auto on_run = make_test_machine();
  const TimelineId run = on_run->open_timeline();
  EXPECT_EQ(RuntimeDriver(*on_runner).allocate(kRunnerTimeline, Bytes(4096)).code, DriverCode::kNone);
  EXPECT_EQ(RuntimeDriver(*on_run).allocate(run, Bytes(4096)).code, DriverCode::kNone);
  EXPECT_NE(on_run->trace_digest(), on_runner->trace_digest());
}

TEST(MachineDigest, CodeOfAFailingCallTakesPart) {
  const auto first = make_test_machine();
  const auto second = make_test_machine();
  // A register of the same block, refused for its kind in one case and as a wrong parameter in the other.
  const auto refused = [](Machine& machine, std::uint32_t flag) {
    const DeviceAddr block = RuntimeDriver(machine).allocate(kRunnerTimeline, Bytes(4096)).address;
    return machine.host_register(kRunnerTimeline, block, 4096, flag, 0).code;
  };
  EXPECT_EQ(refused(*first, kDevMemMapHost), DriverCode::kNotSupport);
  EXPECT_EQ(refused(*second, kHostIoMapDev), DriverCode::kParaError);
  EXPECT_NE(first->trace_digest(), second->trace_digest());
}

TEST(MachineDigest, ViewAddressTakesNoPart) {
  Platform elsewhere = test_platform();
  elsewhere.non_identity = true;
  EXPECT_EQ(digest_of_calls(elsewhere, 4096), digest_of_calls(test_platform(), 4096));
}

TEST(MachineCreate, PlatformThatDoesNotFitTheAddressSpaceIsAnError) {
  Platform platform = test_platform();
  platform.hbm = slice_layout().slice;
  const auto machine = Machine::create(platform, CostModel(test_costs()));
  ASSERT_FALSE(machine.has_value());
  EXPECT_NE(machine.error().find("HBM"), std::string::npos) << machine.error();
}

class NonIdentityMachine : public MachineTest {
 protected:
  static Platform platform() {
    Platform platform = test_platform();
    platform.non_identity = true;
    return platform;
  }
  NonIdentityMachine() : MachineTest(platform()) {}
};

TEST_F(NonIdentityMachine, ViewLiesElsewhereAndShowsTheBytes) {
  const DeviceAddr block = allocate(4096);
  const std::uint32_t sent = 77;
  ASSERT_EQ(driver_.copy_to_device(kRunnerTimeline, block, &sent, Bytes(4)), DriverCode::kNone);
  const auto mapped = driver_.register_to_host(kRunnerTimeline, block, Bytes(4096));
  EXPECT_NE(reinterpret_cast<std::uint64_t>(mapped.host), block.value());
  std::uint32_t seen = 0;
  std::memcpy(&seen, mapped.host, 4);
  EXPECT_EQ(seen, sent);
}

}  // namespace
}  // namespace svmsim
