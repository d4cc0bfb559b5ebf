// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/host_element_io.h"

#include <array>
#include <limits>

#include "runtime/orchestration/testing/orchestrator_test_base.h"

namespace svmrt {
namespace {

class HostElementIoTest : public testing::OrchestratorTestBase {
 protected:
  HostElementIoTest() {
    for (std::size_t i = 0; i < staged_.size(); ++i) staged_[i] = static_cast<std::uint8_t>(0x80 + i);
    EXPECT_TRUE(access.add_staged(DeviceAddr(kDevice), staged_.data(), Bytes(staged_.size())));
    EXPECT_TRUE(access.claim_child_memory(DeviceAddr(kChild), Bytes(64)));
    EXPECT_TRUE(access.add_output_only(DeviceAddr(kOutput), Bytes(64)));
  }

  static constexpr std::uint64_t kChild = kDevice + 1024;
  static constexpr std::uint64_t kOutput = kDevice + 2048;

  template <typename T = std::uint64_t>
  static T get(const ChipTensor& tensor, std::vector<std::uint32_t> indices) {
    return get_tensor_data<T>(tensor, static_cast<std::uint32_t>(indices.size()), indices.data());
  }
  template <typename T>
  static void set(const ChipTensor& tensor, std::vector<std::uint32_t> indices, T value) {
    set_tensor_data<T>(tensor, static_cast<std::uint32_t>(indices.size()), indices.data(), value);
  }
  void expect_fatal(std::int32_t code, const std::string& message) const {
    EXPECT_EQ(orchestrator->fatal_code(), code);
    EXPECT_EQ(orchestrator->fatal_message(), message);
  }

  std::array<std::uint8_t, 64> staged_{};  // byte i holds 0x80 + i
};

TEST_F(HostElementIoTest, AddressIsStartPlusStridedIndicesTimesElementSize) {
  const std::uint32_t shapes[] = {2, 2};
  const std::uint32_t offsets[] = {1, 3};
  const ChipTensor view = typed(kDevice, {4, 8}, DataType::INT16).view(shapes, offsets);
  // Element (1, 1) of the view is element 1 * 8 + 3 + 1 * 8 + 1 = 20 of the buffer, bytes 40 and 41.
  EXPECT_EQ(get(view, {1, 1}), 0xa9a8U);
  EXPECT_EQ(get(view, {1}), 0xa7a6U);
  EXPECT_EQ(get(view, {}), 0x9796U);
  EXPECT_FALSE(rt_is_fatal());
}

TEST_F(HostElementIoTest, WidthComesFromTheDtypeAndIsZeroExtended) {
  EXPECT_EQ(get(typed(kDevice, {64}, DataType::INT8), {0}), 0x80U);
  EXPECT_EQ(get(typed(kDevice, {32}, DataType::BFLOAT16), {0}), 0x8180U);
  EXPECT_EQ(get(typed(kDevice, {16}, DataType::INT32), {0}), 0x83828180U);
  EXPECT_EQ(get(typed(kDevice, {8}, DataType::UINT64), {0}), 0x8786858483828180U);
  EXPECT_EQ(get<std::int64_t>(typed(kDevice, {16}, DataType::INT32), {0}), 0x83828180);
}

TEST_F(HostElementIoTest, TypeParameterReinterpretsTheBits) {
  const float value = -1.5F;
  std::memcpy(staged_.data() + 4, &value, sizeof value);
  EXPECT_EQ(get<float>(typed(kDevice, {16}, DataType::FLOAT32), {1}), -1.5F);
  EXPECT_EQ(get<std::int32_t>(typed(kDevice, {16}, DataType::FLOAT32), {1}), static_cast<std::int32_t>(0xbfc00000U));
  EXPECT_EQ(get<std::uint8_t>(typed(kDevice, {16}, DataType::UINT32), {0}), 0x80U);
}

TEST_F(HostElementIoTest, SetWritesTheLowBytesHereAndOnTheDevice) {
  set<std::uint64_t>(typed(kDevice, {32}, DataType::UINT16), {2}, 0x1122334455667788);
  EXPECT_EQ(staged_[3], 0x83);
  EXPECT_EQ(staged_[4], 0x88);
  EXPECT_EQ(staged_[5], 0x77);
  EXPECT_EQ(staged_[6], 0x86);
  EXPECT_EQ(*device.at(kDevice + 4), std::byte{0x88});
  EXPECT_EQ(*device.at(kDevice + 5), std::byte{0x77});
  EXPECT_EQ(*device.at(kDevice + 6), std::byte{0});
}

TEST_F(HostElementIoTest, ChildMemoryIsReachedThroughARewrappedAddressThatClaimsHostMemory) {
  set<std::int32_t>(typed(kChild, {16}, DataType::INT32), {3}, -7);
  EXPECT_EQ(*device.at(kChild + 12), std::byte{0xf9});
  EXPECT_EQ(get<std::int32_t>(typed(kChild, {16}, DataType::INT32), {3}), -7);
  EXPECT_EQ(device.copies, 2U);
}

TEST_F(HostElementIoTest, UnallocatedTensorIsAnErrorThatNamesTheCallButNoFatal) {
  EXPECT_EQ(get(typed(0, {4}, DataType::INT32), {0}), 0U);
  set<int>(ChipTensor(), {}, 1);
  EXPECT_FALSE(rt_is_fatal());
  ASSERT_EQ(log_lines.size(), 2U);
  EXPECT_EQ(log_lines[0].first, Pto2LogLevel::kError);
  EXPECT_EQ(log_lines[0].second.find("get_tensor_data: the tensor is unallocated (address 0)"), 0U);
  EXPECT_EQ(log_lines[1].second.find("set_tensor_data: the tensor is unallocated (address 0)"), 0U);
}

TEST_F(HostElementIoTest, NoRegionIsFatal5AndSaysWhatIsReadable) {
  EXPECT_EQ(get(typed(kUnknown, {4}, DataType::INT32), {1}), 0U);
  expect_fatal(5,
               "get_tensor_data: cannot read 4 bytes at 0x12e000000004: no region of this run covers them; only "
               "host-memory tensors that the runtime staged and child-memory tensors that the caller passed in are "
               "readable, not runtime-created buffers");
}

TEST_F(HostElementIoTest, NoRegionIsFatal5AndSaysWhatIsWritable) {
  set<double>(typed(kUnknown, {4}, DataType::INT64), {0}, 1.0);
  expect_fatal(5,
               "set_tensor_data: cannot write 8 bytes at 0x12e000000000: no region of this run covers them; only "
               "host-memory tensors that the runtime staged and child-memory tensors that the caller passed in are "
               "writable, not runtime-created buffers");
}

TEST_F(HostElementIoTest, LastElementIsReadableAndTheNextIsNot) {
  const ChipTensor tensor = typed(kDevice, {16}, DataType::UINT32);
  EXPECT_EQ(get(tensor, {15}), 0xbfbebdbcU);
  EXPECT_FALSE(rt_is_fatal());
  EXPECT_EQ(get(tensor, {16}), 0U);
  EXPECT_EQ(orchestrator->fatal_code(), 5);
}

TEST_F(HostElementIoTest, PureOutputCanBeNeitherReadNorWritten) {
  EXPECT_EQ(get(typed(kOutput, {4}, DataType::INT8), {2}), 0U);
  expect_fatal(5,
               "get_tensor_data: cannot read 1 bytes at 0x12d000000802: they lie in a pure output argument, which can "
               "be neither read nor written");
  start(default_config());
  set<int>(typed(kOutput, {4}, DataType::INT8), {2}, 1);
  expect_fatal(5,
               "set_tensor_data: cannot write 1 bytes at 0x12d000000802: they lie in a pure output argument, which can "
               "be neither read nor written");
}

TEST_F(HostElementIoTest, TensorWithoutDataCanBeNeitherReadNorWritten) {
  ASSERT_TRUE(access.add_without_data(DeviceAddr(kDevice + 3072), Bytes(64)));
  EXPECT_EQ(get(typed(kDevice + 3072, {16}, DataType::INT32), {1}), 0U);
  expect_fatal(5,
               "get_tensor_data: cannot read 4 bytes at 0x12d000000c04: they lie in a tensor that was declared without "
               "data: it has an address and a size only");
  start(default_config());
  set<int>(typed(kDevice + 3072, {16}, DataType::INT32), {1}, 1);
  expect_fatal(
      5,
      "set_tensor_data: cannot write 4 bytes at 0x12d000000c04: they lie in a tensor that was declared without "
      "data: it has an address and a size only");
}

TEST_F(HostElementIoTest, FailedCopyIsFatal5AndNamesTheDriverCode) {
  device.copy_code = 17;
  EXPECT_EQ(get(typed(kChild, {4}, DataType::INT32), {0}), 0U);
  expect_fatal(5,
               "get_tensor_data: cannot read 4 bytes at 0x12d000000400: the copy from the device failed with driver "
               "code 17 (IOCRL_FAIL)");
  start(default_config());
  set<int>(typed(kDevice, {4}, DataType::INT32), {0}, 1);
  expect_fatal(5,
               "set_tensor_data: cannot write 4 bytes at 0x12d000000000: the copy to the device failed with driver "
               "code 17 (IOCRL_FAIL)");
}

TEST_F(HostElementIoTest, RefusedSpanIsFatal5) {
  device.view_status = HostViewStatus::kBadSpan;
  EXPECT_EQ(get(typed(kChild, {4}, DataType::INT32), {0}), 0U);
  expect_fatal(5,
               "get_tensor_data: cannot read 4 bytes at 0x12d000000400: the runner refuses them: they are not inside "
               "one live device allocation");
}

TEST_F(HostElementIoTest, UnavailableMemoryIsFatal5) {
  access.close();
  EXPECT_EQ(get(typed(kDevice, {4}, DataType::INT32), {0}), 0U);
  expect_fatal(5,
               "get_tensor_data: cannot read 4 bytes at 0x12d000000000: device memory is unavailable: the runner is "
               "finalized, the device is lost or the run is closed");
}

TEST_F(HostElementIoTest, CreatedTensorIsFatal5WithItsCreator) {
  const std::uint32_t shape[] = {4};
  CoreTaskArgs nothing;
  rt_submit_dummy_task(nothing);
  const TaskOutputTensors outputs = alloc_tensors(TensorCreateInfo(shape, 1));
  EXPECT_EQ(get(outputs.get_ref(0), {1}), 0U);
  expect_fatal(5,
               "get_tensor_data: the 4 bytes at 0x12c000000004 do not exist yet: task 1 creates the tensor and the "
               "device has not started; pass the value as an argument or have a task write it");
}

TEST_F(HostElementIoTest, ForgedOwnerOnChildMemoryIsRefusedBeforeAnyDriverCall) {
  ChipTensor forged = typed(kChild, {4}, DataType::INT32);
  forged.owner_task_id = PTO2TaskId::make(0, 99);
  set<int>(forged, {0}, 1);
  EXPECT_EQ(orchestrator->fatal_code(), 5);
  EXPECT_NE(orchestrator->fatal_message().find("task 99 creates the tensor"), std::string::npos);
  EXPECT_EQ(device.copies, 0U);
}

TEST_F(HostElementIoTest, BytesThatASubmittedTaskWritesAreFatal5) {
  const ChipTensor tensor = typed(kChild, {16}, DataType::INT32);
  submit_inout(tensor);
  EXPECT_EQ(get(tensor, {2}), 0U);
  expect_fatal(5,
               "get_tensor_data: the 4 bytes at 0x12d000000408 do not exist yet: task 0 writes them and the device has "
               "not started; pass the value as an argument or have a task write it");
  EXPECT_EQ(device.copies, 0U);
}

TEST_F(HostElementIoTest, ProducedBytesAreRefusedBeforeTheRegionLookup) {
  const ChipTensor tensor = typed(kUnknown, {16}, DataType::INT32);
  submit_output(tensor);
  get(tensor, {2});
  EXPECT_NE(orchestrator->fatal_message().find("do not exist yet"), std::string::npos);
}

TEST_F(HostElementIoTest, WriterOfOtherElementsDoesNotBlock) {
  const ChipTensor tensor = typed(kDevice, {4, 4}, DataType::UINT32);
  const std::uint32_t column[] = {4, 1};
  const std::uint32_t second[] = {0, 1};
  submit_inout(tensor.view(column, second));
  EXPECT_EQ(get(tensor, {1, 2}), 0x9b9a9998U);
  EXPECT_EQ(get(typed(kDevice, {16}, DataType::UINT32), {6}), 0x9b9a9998U);  // the same bytes, wrapped anew
  set<std::uint32_t>(tensor, {1, 0}, 5);
  EXPECT_FALSE(rt_is_fatal());
  EXPECT_EQ(get(typed(kDevice, {64}, DataType::UINT8), {7}), 0U);  // last byte of element (0, 1)
  EXPECT_TRUE(rt_is_fatal());
}

TEST_F(HostElementIoTest, ElementThatOnlyEndsInAWrittenByteIsFatal5) {
  const std::uint32_t one[] = {1};
  const std::uint32_t eighth[] = {7};
  submit_inout(typed(kDevice, {64}, DataType::UINT8).view(one, eighth));
  EXPECT_EQ(get(typed(kDevice, {8}, DataType::UINT64), {1}), 0x8f8e8d8c8b8a8988U);
  EXPECT_FALSE(rt_is_fatal());
  EXPECT_EQ(get(typed(kDevice, {8}, DataType::UINT64), {0}), 0U);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
}

TEST_F(HostElementIoTest, WriterUnderAnotherBufferAddressBlocks) {
  submit_inout(typed(kDevice, {16}, DataType::UINT32));
  get(typed(kDevice + 8, {4}, DataType::UINT32), {1});
  expect_fatal(5,
               "get_tensor_data: the 4 bytes at 0x12d00000000c do not exist yet: task 0 writes them and the device has "
               "not started; pass the value as an argument or have a task write it");

  start(default_config());
  submit_output(typed(kDevice + 8, {2}, DataType::UINT32));
  const ChipTensor whole = typed(kDevice, {16}, DataType::UINT32);
  EXPECT_EQ(get(whole, {1}), 0x87868584U);
  EXPECT_EQ(get(whole, {4}), 0x93929190U);
  EXPECT_FALSE(rt_is_fatal());
  set<std::uint32_t>(whole, {3}, 1);
  EXPECT_NE(orchestrator->fatal_message().find("task 0 writes them"), std::string::npos);
  EXPECT_EQ(staged_[12], 0x8c);
}

TEST_F(HostElementIoTest, UnorderedWriterUnderAnotherBufferAddressBlocks) {
  PTO2_SCOPE(PTO2ScopeMode::MANUAL) { submit_inout(typed(kDevice + 8, {1}, DataType::UINT32)); }
  get(typed(kDevice, {16}, DataType::UINT32), {2});
  EXPECT_NE(orchestrator->fatal_message().find("task 0 writes them"), std::string::npos);

  start(default_config());
  ChipTensor manual = typed(kDevice, {16}, DataType::UINT32);
  manual.manual_dep = true;
  submit_inout(manual);
  get(typed(kDevice + 8, {1}, DataType::UINT32), {0});
  EXPECT_NE(orchestrator->fatal_message().find("task 0 writes them"), std::string::npos);
}

TEST_F(HostElementIoTest, WriterThatLeavesTheHeapBlocksBehindIt) {
  OrchestratorConfig config = default_config();
  config.heap_base = DeviceAddr(kDevice - 1024);
  config.heap_size = Bytes(1024);
  start(std::move(config));
  submit_inout(typed(kDevice - 4, {1}, DataType::UINT32));
  EXPECT_EQ(get(typed(kDevice, {16}, DataType::UINT32), {0}), 0x83828180U);
  submit_inout(typed(kDevice - 4, {2}, DataType::UINT32));
  get(typed(kDevice, {16}, DataType::UINT32), {0});
  EXPECT_NE(orchestrator->fatal_message().find("task 1 writes them"), std::string::npos);
}

TEST_F(HostElementIoTest, ReaderDoesNotBlock) {
  const ChipTensor tensor = typed(kDevice, {16}, DataType::UINT32);
  submit_input(tensor);
  EXPECT_EQ(get(tensor, {0}), 0x83828180U);
}

TEST_F(HostElementIoTest, WriterInAManualScopeBlocksToo) {
  const ChipTensor tensor = typed(kDevice, {16}, DataType::UINT32);
  PTO2_SCOPE(PTO2ScopeMode::MANUAL) { submit_inout(tensor); }
  get(tensor, {0});
  EXPECT_NE(orchestrator->fatal_message().find("task 0 writes them"), std::string::npos);
}

TEST_F(HostElementIoTest, TooManyOrAbsentIndicesAreFatal5) {
  const ChipTensor tensor = typed(kDevice, {16}, DataType::UINT32);
  get(tensor, {0, 0});
  expect_fatal(5, "get_tensor_data: 2 indices for the tensor at 0x12d000000000, which has 1 dimensions");
  start(default_config());
  EXPECT_EQ(get_tensor_data(tensor, 1, nullptr), 0U);
  expect_fatal(5, "get_tensor_data: 1 absent indices for the tensor at 0x12d000000000, which has 1 dimensions");
}

TEST_F(HostElementIoTest, UnknownDtypeIsFatal5) {
  ChipTensor tensor = typed(kDevice, {16}, DataType::UINT32);
  tensor.dtype = static_cast<DataType>(15);
  get(tensor, {0});
  expect_fatal(5, "get_tensor_data: the tensor at 0x12d000000000 has no valid dtype (15)");
}

TEST_F(HostElementIoTest, AddressBeyond64BitsIsFatal5AndTouchesNothing) {
  for (const std::uint64_t start_offset :
       {std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max() / 4}) {
    start(default_config());
    ChipTensor tensor = typed(kDevice, {16}, DataType::UINT32);
    tensor.start_offset = start_offset;
    get(tensor, {1});
    EXPECT_EQ(orchestrator->fatal_code(), 5);
    EXPECT_NE(orchestrator->fatal_message().find("leaves 64 bits"), std::string::npos);
  }
}

}  // namespace
}  // namespace svmrt
