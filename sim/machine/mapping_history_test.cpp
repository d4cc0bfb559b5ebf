// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/mapping_history.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

using svmrt::DriverCode;

constexpr Bytes kPage{4096};
constexpr DeviceAddr kBlock{0x100000};

class MappingHistoryTest : public ::testing::Test {
 protected:
  void call(CallKind kind, DeviceAddr address, Bytes size, DriverCode code = DriverCode::kNone) {
    CallRecord record;
    record.sequence = next_++;
    record.kind = kind;
    record.address = address;
    record.size = size;
    record.code = code;
    history_.called(record);
  }
  void allocate(DeviceAddr base, Bytes size) { call(CallKind::kAllocate, base, size); }
  void map(DeviceAddr base, Bytes size) {
    history_.mapped(base, size, HostAccess::kReadWrite);
    call(CallKind::kRegister, base, size);
  }
  [[nodiscard]] AddressHistory at(DeviceAddr address) const { return history_.at(address).value(); }

  MappingHistory history_;
  std::uint64_t next_ = 0;
};

TEST_F(MappingHistoryTest, UnknownAddressHasNoOwnerAndNoMapping) {
  EXPECT_FALSE(at(kBlock).owner.has_value());
  EXPECT_FALSE(at(kBlock).mapping.has_value());
}

TEST_F(MappingHistoryTest, LiveMappingNamesItsCallAndNoUnmap) {
  allocate(kBlock, kPage);
  map(kBlock, kPage);
  const AddressHistory history = at(kBlock + Bytes(100));
  ASSERT_TRUE(history.owner && history.mapping);
  EXPECT_EQ(history.owner->base, kBlock);
  EXPECT_EQ(history.owner->allocated_by, 0u);
  EXPECT_FALSE(history.owner->freed_by.has_value());
  EXPECT_TRUE(history.mapping->mapped);
  EXPECT_EQ(history.mapping->mapped_by.value().sequence, 1u);
  EXPECT_FALSE(history.mapping->unmapped_by.has_value());
}

TEST_F(MappingHistoryTest, UnmapIsTheCallThatFollowsIt) {
  allocate(kBlock, kPage);
  map(kBlock, kPage);
  call(CallKind::kCopyFromDevice, kBlock, kPage);
  history_.unmapped(kBlock, kPage);
  call(CallKind::kUnregister, kBlock, Bytes(0));
  const AddressHistory history = at(kBlock);
  EXPECT_FALSE(history.mapping.value().mapped);
  EXPECT_EQ(history.mapping->mapped_by.value().sequence, 1u);
  EXPECT_EQ(history.mapping->unmapped_by.value().sequence, 3u);
  EXPECT_EQ(history.mapping->unmapped_by->kind, CallKind::kUnregister);
}

TEST_F(MappingHistoryTest, FreeEndsTheOwnerAndTheNextOneReplacesIt) {
  allocate(kBlock, kPage);
  call(CallKind::kFree, kBlock, Bytes(0));
  EXPECT_EQ(at(kBlock).owner.value().freed_by.value().sequence, 1u);
  allocate(kBlock, kPage);
  EXPECT_EQ(at(kBlock).owner.value().allocated_by, 2u);
  EXPECT_FALSE(at(kBlock).owner->freed_by.has_value());
}

TEST_F(MappingHistoryTest, FailedCallsChangeNoOwner) {
  call(CallKind::kAllocate, kBlock, kPage, DriverCode::kOutOfMemory);
  EXPECT_FALSE(at(kBlock).owner.has_value());
  allocate(kBlock, kPage);
  call(CallKind::kFree, kBlock, Bytes(0), DriverCode::kBusy);
  EXPECT_FALSE(at(kBlock).owner.value().freed_by.has_value());
}

TEST_F(MappingHistoryTest, MappingDroppedByAFreeNamesTheFree) {
  allocate(kBlock, kPage);
  map(kBlock, kPage);
  history_.unmapped(kBlock, kPage);
  call(CallKind::kFree, kBlock, Bytes(0));
  EXPECT_EQ(at(kBlock).mapping.value().unmapped_by.value().kind, CallKind::kFree);
}

TEST_F(MappingHistoryTest, SecondMappingForgetsTheUnmapOfTheFirst) {
  allocate(kBlock, kPage);
  map(kBlock, kPage);
  history_.unmapped(kBlock, kPage);
  call(CallKind::kUnregister, kBlock, Bytes(0));
  map(kBlock, kPage);
  EXPECT_TRUE(at(kBlock).mapping.value().mapped);
  EXPECT_EQ(at(kBlock).mapping->mapped_by.value().sequence, 3u);
  EXPECT_FALSE(at(kBlock).mapping->unmapped_by.has_value());
}

TEST_F(MappingHistoryTest, UnmapOfAPartLeavesTheRestMapped) {
  allocate(kBlock, Bytes(2 * kPage.count()));
  map(kBlock, Bytes(2 * kPage.count()));
  history_.unmapped(kBlock + kPage, kPage);
  call(CallKind::kUnregister, kBlock, Bytes(0));
  EXPECT_TRUE(at(kBlock).mapping.value().mapped);
  EXPECT_FALSE(at(kBlock + kPage).mapping.value().mapped);
}

}  // namespace
}  // namespace svmsim
