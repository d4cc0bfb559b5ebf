// SPDX-License-Identifier: Apache-2.0
#include "cli/scene/tensor_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/scene/tensor_dtype.h"

namespace svmsim {
namespace {

SceneTensor make_tensor(const std::string& name, DataType dtype, std::vector<std::uint32_t> shape,
                        TensorDataKind kind) {
  SceneTensor tensor;
  tensor.name = name;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.data.kind = kind;
  return tensor;
}

// The bytes of `tensor`, over a background that no generator writes everywhere.
std::vector<std::byte> filled(const SceneTensor& tensor, std::uint64_t seed) {
  std::vector<std::byte> bytes(tensor.bytes().count(), std::byte{0xa5});
  EXPECT_TRUE(fill_tensor(tensor, seed, bytes));
  return bytes;
}

template <typename T>
std::vector<T> elements(const SceneTensor& tensor, std::uint64_t seed = 1) {
  const std::vector<std::byte> bytes = filled(tensor, seed);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(SeededData, SameSeedAndNameGiveTheSameBytes) {
  const SceneTensor tensor = make_tensor("x", DataType::BFLOAT16, {1001}, TensorDataKind::kSeeded);
  EXPECT_EQ(filled(tensor, 7), filled(tensor, 7));
}

TEST(SeededData, AnotherSeedOrNameGivesOtherBytes) {
  const SceneTensor x = make_tensor("x", DataType::INT8, {64}, TensorDataKind::kSeeded);
  const SceneTensor y = make_tensor("y", DataType::INT8, {64}, TensorDataKind::kSeeded);
  EXPECT_NE(filled(x, 7), filled(x, 8));
  EXPECT_NE(filled(x, 7), filled(y, 7));
  EXPECT_NE(filled(x, 0), filled(x, 1));
}

TEST(SeededData, ShapeChangesOnlyTheLength) {
  const std::vector<std::byte> longer = filled(make_tensor("x", DataType::INT8, {29}, TensorDataKind::kSeeded), 3);
  const std::vector<std::byte> shorter = filled(make_tensor("x", DataType::INT8, {13}, TensorDataKind::kSeeded), 3);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

TEST(SeededData, Float32LiesWithinOneAndVaries) {
  const auto values = elements<float>(make_tensor("x", DataType::FLOAT32, {10001}, TensorDataKind::kSeeded));
  for (const float value : values) {
    ASSERT_TRUE(std::isnormal(value));
    ASSERT_GE(std::fabs(value), 0.125f);
    ASSERT_LT(std::fabs(value), 0.5f);
  }
  EXPECT_GT(std::set<float>(values.begin(), values.end()).size(), 9000u);
  EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](float value) { return value < 0; }));
  EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](float value) { return value > 0.25f; }));
}

TEST(SeededData, Bfloat16LiesWithinOneAndVaries) {
  // A bfloat16 is the upper half of a float32.
  const auto values = elements<std::uint16_t>(make_tensor("x", DataType::BFLOAT16, {10001}, TensorDataKind::kSeeded));
  for (const std::uint16_t bits : values) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    ASSERT_TRUE(std::isnormal(value));
    ASSERT_LT(std::fabs(value), 1.0f);
  }
  EXPECT_EQ(std::set<std::uint16_t>(values.begin(), values.end()).size(), 512u);  // sign, 1 exponent, 7 mantissa bits
}

TEST(SeededData, Float16LiesWithinOneAndVaries) {
  const auto values = elements<std::uint16_t>(make_tensor("x", DataType::FLOAT16, {100001}, TensorDataKind::kSeeded));
  for (const std::uint16_t bits : values) {
    const int exponent = (bits >> 10) & 31;  // bias 15: 14 and below is under one, 31 is infinity or NaN
    ASSERT_GE(exponent, 1);
    ASSERT_LE(exponent, 14);
  }
  EXPECT_EQ(std::set<std::uint16_t>(values.begin(), values.end()).size(), 4096u);
}

TEST(SeededData, EightBitFloatsAreNeverNan) {
  for (const std::uint8_t bits :
       elements<std::uint8_t>(make_tensor("x", DataType::FP8E4M3FN, {1001}, TensorDataKind::kSeeded))) {
    ASSERT_NE(bits & 0x7f, 0x7f);
    ASSERT_LT((bits >> 3) & 15, 7);  // bias 7: under one
  }
  for (const std::uint8_t bits :
       elements<std::uint8_t>(make_tensor("x", DataType::FP8E8M0, {1001}, TensorDataKind::kSeeded))) {
    ASSERT_LT(bits, 127);  // bias 127: under one; 255 is NaN
  }
  for (const std::uint8_t bits :
       elements<std::uint8_t>(make_tensor("x", DataType::FP4E2M1, {1001}, TensorDataKind::kSeeded))) {
    ASSERT_LT(bits & 7, 2);  // zero or a half
    ASSERT_EQ(bits & 0xf0, 0);
  }
}

TEST(SeededData, BoolIsZeroOrOne) {
  const auto values = elements<std::uint8_t>(make_tensor("x", DataType::BOOL, {1001}, TensorDataKind::kSeeded));
  EXPECT_EQ(std::set<std::uint8_t>(values.begin(), values.end()), (std::set<std::uint8_t>{0, 1}));
}

TEST(SeededData, IntegersUseEveryByteValue) {
  const auto values = elements<std::uint8_t>(make_tensor("x", DataType::INT32, {4000}, TensorDataKind::kSeeded));
  EXPECT_EQ(std::set<std::uint8_t>(values.begin(), values.end()).size(), 256u);
}

TEST(PlainData, ZerosOverwriteEveryByte) {
  const std::vector<std::byte> bytes = filled(make_tensor("x", DataType::INT16, {5}, TensorDataKind::kZeros), 1);
  EXPECT_EQ(bytes, std::vector<std::byte>(10, std::byte{0}));
}

TEST(PlainData, NoneLeavesTheBytesUntouched) {
  const std::vector<std::byte> bytes = filled(make_tensor("x", DataType::INT16, {5}, TensorDataKind::kNone), 1);
  EXPECT_EQ(bytes, std::vector<std::byte>(10, std::byte{0xa5}));
}

TEST(PlainData, SequenceCountsAndWraps) {
  EXPECT_EQ(elements<std::int32_t>(make_tensor("x", DataType::INT32, {2, 2}, TensorDataKind::kSequence)),
            (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(elements<float>(make_tensor("x", DataType::FLOAT32, {3}, TensorDataKind::kSequence)),
            (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(elements<std::uint8_t>(make_tensor("x", DataType::BOOL, {3}, TensorDataKind::kSequence)),
            (std::vector<std::uint8_t>{0, 1, 0}));
  const auto wrapped = elements<std::uint8_t>(make_tensor("x", DataType::UINT8, {258}, TensorDataKind::kSequence));
  EXPECT_EQ(wrapped[255], 255);
  EXPECT_EQ(wrapped[256], 0);
  EXPECT_EQ(wrapped[257], 1);
}

TEST(PlainData, FillRepeatsItsValue) {
  SceneTensor tensor = make_tensor("x", DataType::INT32, {3}, TensorDataKind::kFill);
  tensor.data.values = {8100};
  EXPECT_EQ(elements<std::int32_t>(tensor), (std::vector<std::int32_t>{8100, 8100, 8100}));
}

TEST(PlainData, ValuesKeepTheirOrder) {
  SceneTensor tensor = make_tensor("x", DataType::INT16, {3}, TensorDataKind::kValues);
  tensor.data.values = {1, 0xfffe, 3};
  EXPECT_EQ(elements<std::int16_t>(tensor), (std::vector<std::int16_t>{1, -2, 3}));
}

SceneTensor make_block_table(std::uint32_t rows, std::uint32_t columns, std::uint32_t used) {
  SceneTensor tensor = make_tensor("block_table", DataType::INT32, {rows, columns}, TensorDataKind::kBlockTable);
  tensor.data.blocks_per_row = used;
  return tensor;
}

TEST(BlockTable, UsedEntriesArePermutationAndTheRestZero) {
  const std::uint32_t rows = 256, columns = 256, used = 64;
  const auto table = elements<std::int32_t>(make_block_table(rows, columns, used));
  std::vector<bool> seen(rows * used, false);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::int32_t block = table[row * columns + column];
      if (column >= used) {
        ASSERT_EQ(block, 0);
        continue;
      }
      ASSERT_GE(block, 0);
      ASSERT_LT(static_cast<std::size_t>(block), seen.size());
      ASSERT_FALSE(seen[static_cast<std::size_t>(block)]) << "block " << block << " appears twice";
      seen[static_cast<std::size_t>(block)] = true;
    }
  }
}

TEST(BlockTable, SeedChangesTheOrderAndNotTheSet) {
  const SceneTensor tensor = make_block_table(4, 8, 8);
  auto first = elements<std::int32_t>(tensor, 1);
  auto second = elements<std::int32_t>(tensor, 2);
  EXPECT_NE(first, second);
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(first, second);
}

TEST(BlockTable, SingleBlockIsBlockZero) {
  EXPECT_EQ(elements<std::int32_t>(make_block_table(1, 2, 1)), (std::vector<std::int32_t>{0, 0}));
}

TEST(FileData, BytesAreTakenAsTheyAreAndAFileThatChangedIsAnError) {
  SceneTensor tensor = make_tensor("x", DataType::FLOAT16, {2}, TensorDataKind::kFile);
  tensor.data.file = ::testing::TempDir() + "file_data.bin";
  const auto put = [&](std::string_view text) { std::ofstream(tensor.data.file, std::ios::binary) << text; };
  std::vector<char> bytes(4);
  put("abcd");
  ASSERT_TRUE(fill_tensor(tensor, 1, std::as_writable_bytes(std::span(bytes))));
  EXPECT_EQ(bytes, (std::vector<char>{'a', 'b', 'c', 'd'}));
  put("abc");
  EXPECT_FALSE(fill_tensor(tensor, 1, std::as_writable_bytes(std::span(bytes))));
  put("abcde");
  EXPECT_FALSE(fill_tensor(tensor, 1, std::as_writable_bytes(std::span(bytes))));
  std::filesystem::remove(tensor.data.file);
  const auto absent = fill_tensor(tensor, 1, std::as_writable_bytes(std::span(bytes)));
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().find(tensor.data.file), std::string::npos);
}

TEST(FillTensorDeathTest, WrongLengthAborts) {
  const SceneTensor tensor = make_tensor("x", DataType::INT8, {4}, TensorDataKind::kZeros);
  std::vector<std::byte> bytes(5);
  EXPECT_DEATH(static_cast<void>(fill_tensor(tensor, 1, bytes)), "");
}

}  // namespace
}  // namespace svmsim
