// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/runtime_heap.h"

#include <gtest/gtest.h>

namespace svmrt {
namespace {

TEST(RuntimeHeapTest, BlocksStartAtMultiplesOf1024) {
  RuntimeHeap heap(DeviceAddr(0x100000), Bytes(4096));
  EXPECT_EQ(heap.allocate(Bytes(1)), DeviceAddr(0x100000));
  EXPECT_EQ(heap.allocate(Bytes(1024)), DeviceAddr(0x100400));
  EXPECT_EQ(heap.allocate(Bytes(1025)), DeviceAddr(0x100800));
  EXPECT_EQ(heap.used(), Bytes(2048 + 1025));
}

TEST(RuntimeHeapTest, UnalignedBaseIsRoundedUp) {
  RuntimeHeap heap(DeviceAddr(0x100020), Bytes(2048));
  EXPECT_EQ(heap.allocate(Bytes(8)), DeviceAddr(0x100400));
}

TEST(RuntimeHeapTest, LastByteIsUsableAndOneMoreIsNot) {
  RuntimeHeap exact(DeviceAddr(0x100000), Bytes(2048));
  ASSERT_TRUE(exact.allocate(Bytes(100)));
  EXPECT_TRUE(exact.allocate(Bytes(1024)));
  RuntimeHeap over(DeviceAddr(0x100000), Bytes(2048));
  ASSERT_TRUE(over.allocate(Bytes(100)));
  EXPECT_FALSE(over.allocate(Bytes(1025)));
  EXPECT_EQ(over.used(), Bytes(100));
  EXPECT_TRUE(over.allocate(Bytes(1024)));
}

TEST(RuntimeHeapTest, SizesThatOverflowAreRefused) {
  RuntimeHeap heap(DeviceAddr(0x100000), Bytes(2048));
  EXPECT_FALSE(heap.allocate(Bytes(UINT64_MAX)));
}

TEST(RuntimeHeapTest, NullHeapHoldsNothing) {
  RuntimeHeap heap{DeviceAddr(), Bytes()};
  EXPECT_FALSE(heap.allocate(Bytes(1)));
  EXPECT_FALSE(heap.allocate(Bytes(0)));
}

}  // namespace
}  // namespace svmrt
