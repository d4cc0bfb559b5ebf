// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/mapping_history.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

using svmrt::DriverCode;

constexpr Bytes kHistoryPage{4096};
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
  allocate(kBlock, kHistoryPage);
  map(kBlock, kHistoryPage);
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
  allocate(kBlock, kHistoryPage);
  map(kBlock, kHistoryPage);
  call(CallKind::kCopyFromDevice, kBlock, kHistoryPage);
  history_.unmapped(kBlock, kHistoryPage);
  call(CallKind::kUnregister, kBlock, Bytes(0));
  const AddressHistory history = at(kBlock);
  EXPECT_FALSE(history.mapping.value().mapped);
  EXPECT_EQ(history.mapping->mapped_by.value().sequence, 1u);
  EXPECT_EQ(history.mapping->unmapped_by.value().sequence, 3u);
  EXPECT_EQ(history.mapping->unmapped_by->kind, CallKind::kUnregister);
}

TEST_F(MappingHistoryTest, FreeEndsTheOwnerAndTheNextOneReplacesIt) {
  allocate(kBlock, kHistoryPage);
  call(CallKind::kFree, kBlock, Bytes(0));
  EXPECT_EQ(at(kBlock).owner.value().freed_by.value().sequence, 1u);
  allocate(kBlock, kHistoryPage);
  EXPECT_EQ(at(kBlock).owner.value().allocated_by, 2u);
  EXPECT_FALSE(at(kBlock).owner->freed_by.has_value());
}

TEST_F(MappingHistoryTest, FailedCallsChangeNoOwner) {
  call(CallKind::kAllocate, kBlock, kHistoryPage, DriverCode::kOutOfMemory);
  EXPECT_FALSE(at(kBlock).owner.has_value());
  allocate(kBlock, kHistoryPage);
  call(CallKind::kFree, kBlock, Bytes(0), DriverCode::kBusy);
  EXPECT_FALSE(at(kBlock).owner.value().freed_by.has_value());
}

TEST_F(MappingHistoryTest, MappingDroppedByAFreeNamesTheFree) {
  allocate(kBlock, kHistoryPage);
  map(kBlock, kHistoryPage);
  history_.unmapped(kBlock, kHistoryPage);
  call(CallKind::kFree, kBlock, Bytes(0));
  EXPECT_EQ(at(kBlock).mapping.value().unmapped_by.value().kind, CallKind::kFree);
}

TEST_F(MappingHistoryTest, SecondMappingForgetsTheUnmapOfTheFirst) {
  allocate(kBlock, kHistoryPage);
  map(kBlock, kHistoryPage);
  history_.unmapped(kBlock, kHistoryPage);
  call(CallKind::kUnregister, kBlock, Bytes(0));
  map(kBlock, kHistoryPage);
  EXPECT_TRUE(at(kBlock).mapping.value().mapped);
  EXPECT_EQ(at(kBlock).mapping->mapped_by.value().sequence, 3u);
  EXPECT_FALSE(at(kBlock).mapping->unmapped_by.has_value());
}

TEST_F(MappingHistoryTest, UnmapOfAPartLeavesTheRestMapped) {
  allocate(kBlock, Bytes(2 * kHistoryPage.count()));
  map(kBlock, Bytes(2 * kHistoryPage.count()));
  history_.unmapped(kBlock + kHistoryPage, kHistoryPage);
  call(CallKind::kUnregister, kBlock, Bytes(0));
  EXPECT_TRUE(at(kBlock).mapping.value().mapped);
  EXPECT_FALSE(at(kBlock + kHistoryPage).mapping.value().mapped);
}

TEST_F(MappingHistoryTest, FreeEndsTheOwnerOfEveryPageOfTheBlock) {
  allocate(kBlock, Bytes(3 * kHistoryPage.count()));
  call(CallKind::kFree, kBlock, Bytes(0));
  const Bytes last(3 * kHistoryPage.count() - 1);
  ASSERT_TRUE(at(kBlock + last).owner.value().freed_by.has_value());
  EXPECT_EQ(at(kBlock + last).owner->freed_by->sequence, 1u);
}

TEST_F(MappingHistoryTest, PageUnmappedBeforeKeepsTheCallThatUnmappedIt) {
  allocate(kBlock, Bytes(2 * kHistoryPage.count()));
  map(kBlock, Bytes(2 * kHistoryPage.count()));
  history_.unmapped(kBlock, kHistoryPage);
  call(CallKind::kUnregister, kBlock, Bytes(0));
  history_.unmapped(kBlock, Bytes(2 * kHistoryPage.count()));
  call(CallKind::kFree, kBlock, Bytes(0));
  EXPECT_EQ(at(kBlock).mapping.value().unmapped_by.value().sequence, 2u);
  EXPECT_EQ(at(kBlock + kHistoryPage).mapping.value().unmapped_by.value().sequence, 3u);
}

// Looks at the history from inside an unmap.
class LookingBacking final : public Backing {
 public:
  explicit LookingBacking(const MappingHistory& history) : history_(history) {}
  [[nodiscard]] std::byte* bytes_at(DeviceAddr /*address*/) const override { return nullptr; }
  void populate(DeviceAddr /*base*/, Bytes /*size*/) override {}
  void release(DeviceAddr /*base*/, Bytes /*size*/) override {}
  void* map(DeviceAddr /*base*/, Bytes /*size*/, HostAccess /*access*/) override { return nullptr; }
  void unmap(DeviceAddr base, Bytes /*size*/) override { known_before_ = !history_.at(base).value().mapping->mapped; }
  bool known_before_ = false;

 private:
  const MappingHistory& history_;
};

TEST_F(MappingHistoryTest, UnmapIsKnownBeforeThePagesGo) {
  LookingBacking backing(history_);
  WatchedBacking watched(backing, history_);
  watched.map(kBlock, kHistoryPage, HostAccess::kReadWrite);
  watched.unmap(kBlock, kHistoryPage);
  EXPECT_TRUE(backing.known_before_);
}

}  // namespace
}  // namespace svmsim
