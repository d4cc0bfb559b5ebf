// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/written_memory.h"

#include <gtest/gtest.h>

namespace svmrt {
namespace {

ChipTensor floats(std::uintptr_t address, std::uint32_t count, std::uint32_t stride = 1) {
  return make_tensor_strided(reinterpret_cast<void*>(address), &count, &stride, 1);
}

TEST(WrittenMemoryTest, NamesTheLatestThatWritesTheBytes) {
  WrittenMemory memory;
  memory.record(1, floats(0x1000, 8));
  memory.record(2, floats(0x1010, 8));
  EXPECT_EQ(memory.writer_of({0xffc, 0x1000}), std::nullopt);
  EXPECT_EQ(memory.writer_of({0xffc, 0x1001}), 1U);
  EXPECT_EQ(memory.writer_of({0x100f, 0x1010}), 1U);
  EXPECT_EQ(memory.writer_of({0x100f, 0x1011}), 2U);
  EXPECT_EQ(memory.writer_of({0x102f, 0x1030}), 2U);
  EXPECT_EQ(memory.writer_of({0x1030, 0x1034}), std::nullopt);
}

TEST(WrittenMemoryTest, BytesBetweenWrittenElementsAreFree) {
  WrittenMemory memory;
  memory.record(1, floats(0x1000, 4, 4));  // a float every 16 bytes
  memory.record(2, floats(0x1008, 3, 4));
  EXPECT_EQ(memory.writer_of({0x1010, 0x1014}), 1U);
  EXPECT_EQ(memory.writer_of({0x1014, 0x1018}), std::nullopt);
  EXPECT_EQ(memory.writer_of({0x1018, 0x101c}), 2U);
  EXPECT_EQ(memory.writer_of({0x1034, 0x1038}), std::nullopt);
}

TEST(WrittenMemoryTest, WriterAcrossEarlierRangesKeepsThemAll) {
  WrittenMemory memory;
  memory.record(1, floats(0x1000, 4));
  memory.record(2, floats(0x1020, 4));
  memory.record(3, floats(0x1040, 4));
  memory.record(4, floats(0x1004, 3, 8));  // floats at 0x1004, 0x1024 and 0x1044
  EXPECT_EQ(memory.writer_of({0x1000, 0x1004}), 1U);
  EXPECT_EQ(memory.writer_of({0x1028, 0x102c}), 2U);
  EXPECT_EQ(memory.writer_of({0x104c, 0x1050}), 3U);
  EXPECT_EQ(memory.writer_of({0x1044, 0x1048}), 4U);
  EXPECT_EQ(memory.writer_of({0x1010, 0x1020}), std::nullopt);
  EXPECT_EQ(memory.writer_of({0x1050, 0x1060}), std::nullopt);
}

TEST(WrittenMemoryTest, SpanAcrossTwoSeparateWritersNamesTheLater) {
  WrittenMemory memory;
  memory.record(7, floats(0x1000, 1));
  memory.record(5, floats(0x1004, 1));
  EXPECT_EQ(memory.writer_of({0x1000, 0x1008}), 7U);
}

TEST(WrittenMemoryTest, EmptyTensorWritesNothing) {
  WrittenMemory memory;
  memory.record(1, floats(0x1000, 0));
  EXPECT_EQ(memory.writer_of({0xff0, 0x1010}), std::nullopt);
}

}  // namespace
}  // namespace svmrt
