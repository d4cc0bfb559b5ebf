// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/touch_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace svmsim {
namespace {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using ::testing::HasSubstr;

constexpr DeviceAddr kSlice{0x12c000000000};

Touch touch_at(std::uint64_t offset) {
  Touch touch;
  touch.host_address = kSlice.value() + offset;
  touch.device_address = kSlice + Bytes(offset);
  touch.slice_base = kSlice;
  return touch;
}

std::string describe(const Touch& touch, const AddressHistory& history) {
  std::array<char, 1024> text{};
  return {text.data(), describe_touch(touch, &history, text)};
}

AddressHistory unmapped_history() {
  AddressHistory history;
  history.owner = {kSlice + Bytes(0x1000), Bytes(4096), 3, std::nullopt};
  history.mapping = {CallName{4, CallKind::kRegister}, CallName{7, CallKind::kUnregister}, false,
                     HostAccess::kReadWrite};
  return history;
}

TEST(TouchReport, NamesAllocationOffsetAndTheCallThatUnmapped) {
  EXPECT_EQ(describe(touch_at(0x1010), unmapped_history()),
            "svmsim: forbidden touch of 0x12c000001010: device memory that is not mapped (F4)\n"
            "  allocation: svm+0x1000, 4096 bytes, allocated by call 3; offset 16\n"
            "  mapping: mapped by call 4 (register), unmapped by call 7 (unregister)\n");
}

TEST(TouchReport, NamesTheLastOwnerOfFreedMemory) {
  AddressHistory history = unmapped_history();
  history.owner->freed_by = CallName{8, CallKind::kFree};
  EXPECT_THAT(describe(touch_at(0x1000), history),
              HasSubstr("last owner: svm+0x1000, 4096 bytes, allocated by call 3, freed by call 8 (free); offset 0\n"));
}

TEST(TouchReport, SaysNeverMappedAndNoAllocation) {
  const std::string text = describe(touch_at(0x5000), {});
  EXPECT_THAT(text, HasSubstr("allocation: none was ever at svm+0x5000\n"));
  EXPECT_THAT(text, HasSubstr("mapping: never mapped\n"));
}

TEST(TouchReport, StoreToAReadOnlyMappingIsCalledThat) {
  AddressHistory history = unmapped_history();
  history.mapping->mapped = true;
  history.mapping->unmapped_by.reset();
  history.mapping->access = HostAccess::kReadOnly;
  const std::string text = describe(touch_at(0x1000), history);
  EXPECT_THAT(text, HasSubstr("a store to a read-only mapping (R9)"));
  EXPECT_THAT(text, HasSubstr("mapped by call 4 (register), still mapped\n"));
}

TEST(TouchReport, ForkedChildIsToldThatItInheritsNothing) {
  Touch touch = touch_at(0x1000);
  touch.in_forked_child = true;
  EXPECT_THAT(describe(touch, unmapped_history()), HasSubstr("a child does not inherit host mappings (R11)"));
}

TEST(TouchReport, RawDeviceAddressIsToldFromAView) {
  Touch touch = touch_at(0x1000);
  touch.range = TouchedRange::kRawDevice;
  EXPECT_THAT(describe(touch, unmapped_history()), HasSubstr("views lie elsewhere"));
}

TEST(TouchReport, BooksInUseStillNameTheAddress) {
  std::array<char, 1024> text{};
  const std::size_t length = describe_touch(touch_at(0x1000), nullptr, text);
  EXPECT_THAT(std::string(text.data(), length), HasSubstr("svm+0x1000; the books are in use"));
}

TEST(TouchReport, IsCutToTheBuffer) {
  const AddressHistory history = unmapped_history();
  std::array<char, 64> text{};
  text.fill('#');
  EXPECT_EQ(describe_touch(touch_at(0x1010), &history, std::span(text.data(), 20)), 20u);
  EXPECT_EQ(std::string(text.data(), 22), "svmsim: forbidden to##");
}

TEST(TouchReport, ForkedChildIsToldSoAtARawDeviceAddressToo) {
  Touch touch = touch_at(0x1000);
  touch.in_forked_child = true;
  touch.range = TouchedRange::kRawDevice;
  EXPECT_THAT(describe(touch, unmapped_history()), HasSubstr("(R11)"));
}

TEST(TouchReport, ATouchOfAMappingThatAllowsItIsToldSo) {
  AddressHistory history = unmapped_history();
  history.mapping = {CallName{4, CallKind::kRegister}, std::nullopt, true, HostAccess::kReadWrite};
  EXPECT_THAT(describe(touch_at(0x1000), history), HasSubstr("it is mapped, so this was no load or store"));
}

// A call is in the books before it has its number.
TEST(TouchReport, ACallThatHasNoNumberYetIsTheOneUnderWay) {
  AddressHistory history = unmapped_history();
  history.mapping->unmapped_by.reset();
  EXPECT_THAT(describe(touch_at(0x1000), history),
              HasSubstr("mapped by call 4 (register), unmapped by the call under way\n"));
  history.mapping->mapped_by.reset();
  history.mapping->mapped = true;
  EXPECT_THAT(describe(touch_at(0x1000), history), HasSubstr("mapped by the call under way, still mapped\n"));
}

}  // namespace
}  // namespace svmsim
