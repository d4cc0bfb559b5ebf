// SPDX-License-Identifier: Apache-2.0
// Calls of a machine beyond the runtime's port: unregister by type, close, copies on the device, host memory.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <string>
#include <vector>

#include "sim/driver/hal_flags.h"
#include "sim/machine/machine.h"
#include "sim/memory/mapped_region.h"
#include "sim/memory/slice_layout.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;

constexpr std::uint64_t kOrdinary = kAllocSideDevice | kAllocHbm;
// Costs of sim/testing/test_machine.h, in picoseconds.
constexpr std::uint64_t kRegister = 1'000'000;
constexpr std::uint64_t kUnregister = 2'000'000;
constexpr std::uint64_t kCopyFrom = 9'000'000;

class RecorderOfCopies final : public CallObserver {
 public:
  void on_call(const CallRecord& record) override { records.push_back(record); }
  std::vector<CallRecord> records;
};

class MachineCalls : public testing::Test {
 protected:
  MachineCalls() {
    MachineOptions options;
    options.host_memory = &checked_;
    machine_ = std::move(*Machine::create(test_platform(), CostModel(test_costs()), options));
    machine_->add_observer(recorder_);
  }
  DeviceAddr allocate(std::uint64_t size) { return machine_->mem_alloc(kRunnerTimeline, size, kOrdinary).address; }
  const CallRecord& last() const { return recorder_.records.back(); }

  CheckedHostMemory checked_;
  std::unique_ptr<Machine> machine_;
  RecorderOfCopies recorder_;
};

TEST_F(MachineCalls, UnregisterByTypeIsPricedAndRecordedAsAnUnregister) {
  const DeviceAddr block = allocate(8192);
  ASSERT_EQ(machine_->host_register(kRunnerTimeline, block, 8192, kDevSvmMapHost, 0).code, DriverCode::kNone);
  EXPECT_EQ(machine_->host_unregister_ex(kRunnerTimeline, block, 0, kMapTypeEnd).code, DriverCode::kNotSupport);
  EXPECT_EQ(last().kind, CallKind::kUnregister);
  EXPECT_EQ(last().cost, Picoseconds(kUnregister));
  EXPECT_EQ(machine_->host_unregister_ex(kRunnerTimeline, block, 0, kDevSvmMapHost).code, DriverCode::kNone);
  EXPECT_EQ(last().address, block);
  EXPECT_EQ(last().cost, Picoseconds(kUnregister + 2 * 500 + 2 * 20));
}

TEST_F(MachineCalls, HostMemoryIsPricedByItsHostPagesAndItsAddressIsNotRecorded) {
  const auto region = MappedRegion::anonymous(nullptr, Bytes(8192), MappedRegion::Access::kReadWrite);
  const DeviceAddr host(reinterpret_cast<std::uint64_t>(region->data()));
  ASSERT_EQ(machine_->host_register(kRunnerTimeline, host, 8192, kHostMemMapDev, 0).code, DriverCode::kNone);
  EXPECT_EQ(last().cost, Picoseconds(kRegister + 2 * 10));
  EXPECT_TRUE(last().address.is_null());
  ASSERT_EQ(machine_->host_unregister_ex(kRunnerTimeline, host, 0, kHostMemMapDev).code, DriverCode::kNone);
  EXPECT_EQ(last().cost, Picoseconds(kUnregister + 2 * 20));
  EXPECT_TRUE(last().address.is_null());
}

// EFAULT is 4. Nothing of the failed call stays: the same range registers once its pages are there.
TEST_F(MachineCalls, HostMemoryThatIsNotThereIsAnInvalidHandleAndRegistersNothing) {
  auto region = MappedRegion::anonymous(nullptr, Bytes(3 * 4096), MappedRegion::Access::kReadWrite);
  const DeviceAddr host(reinterpret_cast<std::uint64_t>(region->data()));
  void* const last_page = region->data() + 2 * 4096;
  ASSERT_EQ(munmap(last_page, 4096), 0);
  EXPECT_EQ(machine_->host_register(kRunnerTimeline, host, 3 * 4096, kHostMemMapDev, 0).code,
            DriverCode::kInvalidHandle);
  EXPECT_EQ(last().cost, Picoseconds(kRegister));
  EXPECT_EQ(machine_->host_register(kRunnerTimeline, host + Bytes(1), 4096, kHostMemMapDev, 0).code,
            DriverCode::kParaError);  // what the driver refuses itself comes first
  ASSERT_EQ(mmap(last_page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), last_page);
  EXPECT_EQ(machine_->host_register(kRunnerTimeline, host, 3 * 4096, kHostMemMapDev, 0).code, DriverCode::kNone);
}

TEST_F(MachineCalls, CopyOnTheDeviceMovesOverlappingBytesAndIsPricedAsACopyFromIt) {
  const DeviceAddr block = allocate(4096);
  std::memcpy(machine_->device_bytes(block, Bytes(6)), "abcdef", 6);
  ASSERT_EQ(machine_->copy_on_device(kRunnerTimeline, block + Bytes(2), block, Bytes(6)), DriverCode::kNone);
  EXPECT_EQ(std::memcmp(machine_->device_bytes(block, Bytes(8)), "ababcdef", 8), 0);
  EXPECT_EQ(last().kind, CallKind::kCopyOnDevice);
  EXPECT_EQ(last().address, block + Bytes(2));
  EXPECT_EQ(last().size, Bytes(6));
  EXPECT_EQ(last().cost, Picoseconds(kCopyFrom + 6));
}

TEST_F(MachineCalls, CopyOnTheDeviceNeedsDeviceMemoryOnBothSides) {
  const DeviceAddr block = allocate(4096);
  EXPECT_EQ(machine_->copy_on_device(kRunnerTimeline, block, DeviceAddr(64), Bytes(8)), DriverCode::kParaError);
  EXPECT_EQ(machine_->copy_on_device(kRunnerTimeline, DeviceAddr(64), block, Bytes(8)), DriverCode::kParaError);
  EXPECT_EQ(last().cost, Picoseconds(kCopyFrom));
}

TEST_F(MachineCalls, CopyOnTheDeviceCarriesTheLackOfData) {
  const DeviceAddr from = allocate(4096);
  const DeviceAddr to = allocate(4096);
  const DeviceAddr third = allocate(4096);
  *machine_->device_bytes(from, Bytes(1)) = std::byte{1};
  machine_->declare_device_without_data(from, Bytes(4096));
  ASSERT_EQ(machine_->copy_on_device(kRunnerTimeline, to, from, Bytes(4096)), DriverCode::kNone);
  EXPECT_FALSE(machine_->has_data(to, Bytes(4096)));
  EXPECT_EQ(*machine_->device_bytes(to, Bytes(1)), std::byte{0});
  // Bytes copied to where there are none go nowhere.
  *machine_->device_bytes(third, Bytes(1)) = std::byte{3};
  ASSERT_EQ(machine_->copy_on_device(kRunnerTimeline, to, third, Bytes(1)), DriverCode::kNone);
  EXPECT_EQ(*machine_->device_bytes(to, Bytes(1)), std::byte{0});
}

TEST_F(MachineCalls, HostMemoryThatCannotBeTouchedIsAnInvalidHandleAtThePriceOfAFailure) {
  const DeviceAddr block = allocate(4096);
  const auto page = MappedRegion::anonymous(nullptr, Bytes(4096), MappedRegion::Access::kNone);
  ASSERT_TRUE(page);
  EXPECT_EQ(machine_->copy_to_device(kRunnerTimeline, block, page->data(), Bytes(8)), DriverCode::kInvalidHandle);
  EXPECT_EQ(last().cost, Picoseconds(8'000'000));
  EXPECT_EQ(machine_->copy_from_device(kRunnerTimeline, page->data(), block, Bytes(8)), DriverCode::kInvalidHandle);
  EXPECT_EQ(last().cost, Picoseconds(kCopyFrom));
  std::string bytes = "12345678";
  EXPECT_EQ(machine_->copy_to_device(kRunnerTimeline, block, bytes.data(), Bytes(8)), DriverCode::kNone);
  bytes = "--------";
  EXPECT_EQ(machine_->copy_from_device(kRunnerTimeline, bytes.data(), block, Bytes(8)), DriverCode::kNone);
  EXPECT_EQ(bytes, "12345678");
}

TEST_F(MachineCalls, CloseDropsMappingsBlocksAndRangesWithoutDataAndTakesNoTime) {
  const DeviceAddr block = allocate(4096);
  machine_->declare_device_without_data(block, Bytes(4096));
  ASSERT_EQ(machine_->host_register(kRunnerTimeline, block, 4096, kDevSvmMapHost, 0).code, DriverCode::kNone);
  const Picoseconds before = machine_->now(kRunnerTimeline);
  machine_->device_close(kRunnerTimeline);
  EXPECT_EQ(machine_->now(kRunnerTimeline), before);
  EXPECT_EQ(last().kind, CallKind::kClose);
  EXPECT_TRUE(machine_->live_blocks().empty());
  EXPECT_TRUE(machine_->mapped_extents().empty());
  ASSERT_EQ(allocate(4096), block);
  EXPECT_TRUE(machine_->has_data(block, Bytes(4096)));
}

TEST_F(MachineCalls, QueriesAnswerAsTheDriverDoesAndLeaveNoRecord) {
  const auto region = MappedRegion::anonymous(nullptr, Bytes(4096), MappedRegion::Access::kReadWrite);
  const DeviceAddr host(reinterpret_cast<std::uint64_t>(region->data()));
  EXPECT_EQ(machine_->host_get_device_pointer(host.value(), 0).code, DriverCode::kNotSupport);  // U5
  machine_->support_feature(0, kFeatureRegisterQuery);
  ASSERT_EQ(machine_->host_register(kRunnerTimeline, host, 4096, kHostMemMapDev, 0).code, DriverCode::kNone);
  EXPECT_EQ(machine_->host_get_device_pointer(host.value(), 0).address, DeviceAddr(0x100000000000));
  EXPECT_EQ(machine_->mem_ctl(kMemCtlSupportFeature, kMaskPcieBarMem | kMaskNumaTs, 0).mask, kMaskPcieBarMem);
  EXPECT_EQ(recorder_.records.size(), 1u);
}

TEST_F(MachineCalls, DeviceAddressesAreThoseOfTheSlice) {
  const std::uint64_t first = machine_->slice_base().value();
  const std::uint64_t end = first + slice_layout().slice.count();
  EXPECT_FALSE(machine_->is_device_address(first - 1));
  EXPECT_TRUE(machine_->is_device_address(first));
  EXPECT_TRUE(machine_->is_device_address(end - 1));
  EXPECT_FALSE(machine_->is_device_address(end));
}

TEST(CallKindName, OfTheCallsOfTheCInterface) {
  EXPECT_EQ(call_kind_name(CallKind::kCopyOnDevice), "copy_on_device");
  EXPECT_EQ(call_kind_name(CallKind::kClose), "close");
}

TEST(MachineHostMemory, LenientAndIdentityPlatformsTakeHostMemoryThatIsNotThere) {
  const CheckedHostMemory checked;
  MachineOptions options;
  options.host_memory = &checked;
  Platform lenient = test_platform();
  lenient.lenient = true;
  Platform identity = test_platform();
  identity.personality = Personality::kIdentity;
  for (const Platform& platform : {lenient, identity}) {
    const auto machine = make_test_machine(platform, options);
    const DeviceAddr nowhere(4096);
    EXPECT_EQ(machine->host_register(kRunnerTimeline, nowhere, 4096, kHostMemMapDev, 0).code, DriverCode::kNone);
  }
}

TEST_F(MachineCalls, FillOfMemoryWithoutDataWritesNothing) {
  const DeviceAddr block = allocate(4096);
  machine_->declare_device_without_data(block, Bytes(4096));
  EXPECT_EQ(machine_->set_memory(kRunnerTimeline, block, 0xff, Bytes(8)), DriverCode::kNone);
  EXPECT_EQ(*machine_->device_bytes(block, Bytes(1)), std::byte{0});
  EXPECT_FALSE(machine_->has_data(block, Bytes(8)));
}

}  // namespace
}  // namespace svmsim
