// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "runtime/orchestration/api/pto_types.h"

namespace {

using Numbers = std::vector<std::uint32_t>;

ChipTensor make(const Numbers& shapes, DataType dtype = DataType::FLOAT32) {
  return make_tensor_external(reinterpret_cast<void*>(0x1000), shapes.data(), static_cast<std::uint32_t>(shapes.size()),
                              dtype);
}
Numbers shapes_of(const ChipTensor& tensor) { return {tensor.shapes, tensor.shapes + tensor.ndims}; }
Numbers strides_of(const ChipTensor& tensor) { return {tensor.strides, tensor.strides + tensor.ndims}; }

TEST(DataTypeTest, NumbersAndElementBytesAreThoseOfTheInterface) {
  constexpr std::array<std::uint64_t, 15> kBytes = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1, 1, 1, 1};
  for (std::size_t i = 0; i < kBytes.size(); ++i) {
    EXPECT_EQ(get_element_size(static_cast<DataType>(i)), kBytes[i]) << get_dtype_name(static_cast<DataType>(i));
  }
  EXPECT_EQ(get_element_size(static_cast<DataType>(15)), 0U);
  EXPECT_EQ(static_cast<int>(DataType::FP4E2M1), 14);
  EXPECT_STREQ(get_dtype_name(DataType::FP4E2M1), "FP4E2M1");
  EXPECT_STREQ(get_dtype_name(static_cast<DataType>(15)), "UNKNOWN");
}

TEST(TaskIdTest, RingIsTheUpperHalfOfRaw) {
  const PTO2TaskId id = PTO2TaskId::make(3, 7);
  EXPECT_EQ(id.raw, (std::uint64_t{3} << 32) | 7);
  EXPECT_EQ(id.ring(), 3U);
  EXPECT_EQ(id.local(), 7U);
  EXPECT_TRUE(id.is_valid());
  EXPECT_FALSE(PTO2TaskId::invalid().is_valid());
  EXPECT_FALSE(PTO2TaskId().is_valid());
  EXPECT_EQ(id, PTO2TaskId::make(3, 7));
  EXPECT_NE(id, PTO2TaskId::make(3, 8));
}

TEST(ScalarBitsTest, NarrowValuesAreZeroExtendedAndComeBack) {
  EXPECT_EQ(to_u64(std::int32_t{-1}), 0xffffffffU);
  EXPECT_EQ(to_u64(1.0F), 0x3f800000U);
  EXPECT_EQ(from_u64<float>(0x3f800000U), 1.0F);
  EXPECT_EQ(from_u64<std::int32_t>(0xffffffffU), -1);
  EXPECT_EQ(from_u64<std::int8_t>(0x1ff), -1);
}

TEST(ChipTensorTest, ExternalTensorIsRowMajor) {
  const ChipTensor tensor = make({2, 3, 4}, DataType::FLOAT16);
  EXPECT_EQ(strides_of(tensor), (Numbers{12, 4, 1}));
  EXPECT_EQ(tensor.numel(), 24U);
  EXPECT_EQ(tensor.nbytes(), 48U);
  EXPECT_EQ(tensor.buffer.addr, 0x1000U);
  EXPECT_EQ(tensor.buffer.size, 48U);
  EXPECT_EQ(tensor.extent_elem(), 24U);
  EXPECT_TRUE(tensor.is_contiguous);
  EXPECT_FALSE(tensor.is_device_memory());
  EXPECT_FALSE(tensor.owner_task_id.is_valid());
  EXPECT_EQ(tensor.data_as<char>(), reinterpret_cast<char*>(0x1000));
}

TEST(ChipTensorTest, ViewMovesTheStartAndKeepsStrides) {
  const ChipTensor tensor = make({4, 8});
  const Numbers shapes = {2, 3};
  const Numbers offsets = {1, 5};
  const ChipTensor view = tensor.view(shapes.data(), offsets.data(), true);
  EXPECT_EQ(view.start_offset, 13U);
  EXPECT_EQ(shapes_of(view), shapes);
  EXPECT_EQ(strides_of(view), (Numbers{8, 1}));
  EXPECT_EQ(view.extent_elem(), 11U);  // (2 - 1) * 8 + (3 - 1) * 1 + 1
  EXPECT_FALSE(view.is_contiguous);
  EXPECT_TRUE(view.manual_dep);
  EXPECT_EQ(view.buffer.size, tensor.buffer.size);

  const Numbers rows = {2, 8};
  const Numbers from_second = {2, 0};
  EXPECT_TRUE(tensor.view(rows.data(), from_second.data()).is_contiguous);
  EXPECT_FALSE(tensor.view(rows.data(), from_second.data()).manual_dep);
}

TEST(ChipTensorTest, FlatOffsetAddsStartAndStridedIndices) {
  const Numbers shapes = {2, 3};
  const Numbers offsets = {1, 5};
  const ChipTensor view = make({4, 8}).view(shapes.data(), offsets.data());
  const Numbers indices = {1, 2};
  EXPECT_EQ(view.compute_flat_offset(indices.data(), 2), 23U);
  EXPECT_EQ(view.compute_flat_offset(indices.data(), 1), 21U);
  EXPECT_EQ(view.compute_flat_offset(nullptr, 0), 13U);
}

TEST(ChipTensorTest, ReshapeNeedsContiguityAndTheSameElements) {
  const ChipTensor tensor = make({4, 6});
  const Numbers flat = {24};
  EXPECT_EQ(shapes_of(tensor.reshape(flat.data(), 1)), flat);
  EXPECT_EQ(strides_of(tensor.reshape(flat.data(), 1)), (Numbers{1}));
  const Numbers other = {25};
  EXPECT_EQ(tensor.reshape(other.data(), 1).buffer.addr, 0U);
  EXPECT_EQ(tensor.transpose(0, 1).reshape(flat.data(), 1).buffer.addr, 0U);
}

TEST(ChipTensorTest, TransposeAndPermuteMoveShapesAndStrides) {
  const ChipTensor tensor = make({2, 3, 4});
  EXPECT_EQ(shapes_of(tensor.transpose(0, 2)), (Numbers{4, 3, 2}));
  EXPECT_EQ(strides_of(tensor.transpose(0, 2)), (Numbers{1, 4, 12}));
  const Numbers order = {1, 2, 0};
  EXPECT_EQ(shapes_of(tensor.permute(order.data())), (Numbers{3, 4, 2}));
  EXPECT_EQ(strides_of(tensor.permute(order.data())), (Numbers{4, 1, 12}));
  EXPECT_FALSE(tensor.permute(order.data()).is_contiguous);
  EXPECT_EQ(tensor.transpose(0, 3).buffer.addr, 0U);
  const Numbers repeated = {1, 1, 0};
  EXPECT_EQ(tensor.permute(repeated.data()).buffer.addr, 0U);
}

TEST(ChipTensorTest, SliceTakesEveryStepthIndex) {
  const ChipTensor tensor = make({4, 10});
  const ChipTensor slice = tensor.slice(1, 1, 8, 3);  // columns 1, 4, 7
  EXPECT_EQ(slice.start_offset, 1U);
  EXPECT_EQ(shapes_of(slice), (Numbers{4, 3}));
  EXPECT_EQ(strides_of(slice), (Numbers{10, 3}));
  EXPECT_EQ(slice.extent_elem(), 37U);
  EXPECT_EQ(tensor.slice(0, 1, 3).shapes[0], 2U);
  EXPECT_EQ(tensor.slice(2, 0, 1).buffer.addr, 0U);
  EXPECT_EQ(tensor.slice(0, 0, 1, 0).buffer.addr, 0U);
  EXPECT_EQ(tensor.slice(0, 2, 1).buffer.addr, 0U);
}

TEST(ChipTensorTest, DimensionsFromOneToFiveAreRepresentable) {
  EXPECT_EQ(make({}).buffer.addr, 0U);
  EXPECT_EQ(make({1}).ndims, 1U);
  EXPECT_EQ(make({1, 1, 1, 1, 1}).ndims, 5U);
  EXPECT_EQ(make({1, 1, 1, 1, 1, 1}).buffer.addr, 0U);
}

TEST(ChipTensorTest, StridesUpTo32BitsAreRepresentable) {
  EXPECT_EQ(make({2, 65537, 65535}).strides[0], std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(make({2, 65536, 65536}).buffer.addr, 0U);
}

TEST(ChipTensorTest, EmptyTensorHasNoExtent) {
  const ChipTensor tensor = make({4, 0});
  EXPECT_EQ(tensor.numel(), 0U);
  EXPECT_EQ(tensor.extent_elem(), 0U);
  EXPECT_EQ(tensor.buffer.size, 0U);
}

TEST(ChipTensorTest, StridedBufferReachesToTheLastElement) {
  const Numbers shapes = {3, 2};
  const Numbers strides = {16, 4};
  const ChipTensor tensor = make_tensor_strided(reinterpret_cast<void*>(0x1000), shapes.data(), strides.data(), 2,
                                                DataType::INT16, false, 5, AddressSpace::DEVICE);
  EXPECT_EQ(tensor.buffer.size, 74U);  // (2 * 16 + 1 * 4 + 1) * 2
  EXPECT_EQ(tensor.version, 5);
  EXPECT_TRUE(tensor.is_device_memory());
  EXPECT_FALSE(tensor.is_contiguous);
}

TEST(ChipTensorTest, DumpNamesAddressTypeAndShape) {
  const std::string text = make({2, 3}, DataType::BFLOAT16).dump();
  EXPECT_NE(text.find("0x1000"), std::string::npos) << text;
  EXPECT_NE(text.find("BFLOAT16"), std::string::npos) << text;
  EXPECT_NE(text.find("[2,3]"), std::string::npos) << text;
}

}  // namespace
