// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/plain_backing.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstring>
#include <vector>

#include "sim/memory/poison.h"
#include "sim/memory/slice_layout.h"
#include "sim/memory/testing/sizes.h"

namespace svmsim {
namespace {

std::unique_ptr<PlainBacking> make_plain_backing(ViewAddress view_address) {
  auto backing = PlainBacking::create(view_address);
  EXPECT_TRUE(backing.has_value()) << backing.error();
  return std::move(*backing);
}

TEST(PlainBacking, FirstMachineStartsAtTheFirstDeviceAddressOfTheLayout) {
  const auto backing = make_plain_backing(ViewAddress::kIdentity);
  EXPECT_EQ(backing->base(), slice_layout().svm_base + slice_layout().first_device_offset);
}

TEST(PlainBacking, TwoMachinesGetDisjointSlicesAndAFreedSliceIsTakenAgain) {
  auto first = make_plain_backing(ViewAddress::kIdentity);
  const auto second = make_plain_backing(ViewAddress::kIdentity);
  EXPECT_EQ(second->base(), first->base() + first->size());
  const DeviceAddr base = first->base();
  first.reset();
  EXPECT_EQ(make_plain_backing(ViewAddress::kIdentity)->base(), base);
}

TEST(PlainBacking, EverySliceTakenIsAnErrorThatSaysSo) {
  std::vector<std::unique_ptr<PlainBacking>> backings;
  for (std::uint32_t slot = 0; slot < slice_layout().slices; ++slot) {
    backings.push_back(make_plain_backing(ViewAddress::kElsewhere));
  }
  const auto one_more = PlainBacking::create(ViewAddress::kElsewhere);
  ASSERT_FALSE(one_more.has_value());
  EXPECT_NE(one_more.error().find("slices"), std::string::npos) << one_more.error();
}

TEST(PlainBacking, IdentityViewLiesAtTheDeviceAddress) {
  const auto backing = make_plain_backing(ViewAddress::kIdentity);
  const DeviceAddr at = backing->base() + kPage;
  backing->populate(backing->base(), kSegment);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(backing->map(at, kPage, HostAccess::kReadWrite)), at.value());
}

TEST(PlainBacking, ViewElsewhereShowsTheSameBytesAtAnotherAddress) {
  const auto backing = make_plain_backing(ViewAddress::kElsewhere);
  backing->populate(backing->base(), kSegment);
  const DeviceAddr at = backing->base() + kPage;
  auto* const view = static_cast<unsigned char*>(backing->map(at, kPage, HostAccess::kReadWrite));
  EXPECT_NE(reinterpret_cast<std::uint64_t>(view), at.value());
  *backing->bytes_at(at + Bytes(5)) = std::byte{42};
  EXPECT_EQ(view[5], 42);
  view[6] = 43;
  EXPECT_EQ(*backing->bytes_at(at + Bytes(6)), std::byte{43});
}

using PlainBackingDeathTest = ::testing::Test;

TEST(PlainBackingDeathTest, TouchOfTheRawDeviceAddressFaultsWhereViewsLieElsewhere) {
  const auto backing = make_plain_backing(ViewAddress::kElsewhere);
  backing->populate(backing->base(), kSegment);
  backing->map(backing->base(), kPage, HostAccess::kReadWrite);
  const auto* const raw = reinterpret_cast<const volatile unsigned char*>(backing->base().value());
  EXPECT_DEATH((void)*raw, "");
}

TEST(PlainBacking, ReleasedPagesReadAsZerosWhenPopulatedAgain) {
  const auto backing = make_plain_backing(ViewAddress::kIdentity);
  backing->populate(backing->base(), kSegment);
  std::memset(backing->bytes_at(backing->base()), 0xff, kSegment.count());
  backing->release(backing->base(), kSegment);
  backing->populate(backing->base(), kSegment);
  EXPECT_EQ(*backing->bytes_at(backing->base()), std::byte{0});
  EXPECT_EQ(*backing->bytes_at(backing->base() + (kSegment - Bytes(1))), std::byte{0});
}

TEST(PlainBacking, UntouchedPagesTakeNoMemory) {
  const auto backing = make_plain_backing(ViewAddress::kIdentity);
  constexpr Bytes kLarge{std::uint64_t{38} << 30};
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  backing->populate(backing->base(), kLarge);
  backing->map(backing->base(), kLarge, HostAccess::kReadWrite);
  backing->unmap(backing->base(), kLarge);
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16 * 1024);  // KiB
}

TEST(PlainBacking, UnmappedPagesArePoisonedExactlyInSanitizerBuilds) {
  const auto backing = make_plain_backing(ViewAddress::kIdentity);
  backing->populate(backing->base(), kSegment);
  const auto* const host = reinterpret_cast<const std::byte*>(backing->base().value());
  EXPECT_EQ(is_poisoned(host), poison_is_active());
  backing->map(backing->base(), kPage, HostAccess::kReadWrite);
  EXPECT_FALSE(is_poisoned(host));
  EXPECT_EQ(is_poisoned(host + kPage.count()), poison_is_active());
  *backing->bytes_at(backing->base() + kPage) = std::byte{1};  // the simulator itself may always
  backing->unmap(backing->base(), kPage);
  EXPECT_EQ(is_poisoned(host), poison_is_active());
}

TEST(PlainBacking, LargeBlockDoesNotInheritThePoisonOfASmallOneBeforeIt) {
  constexpr Bytes kAboveTheLimit{std::uint64_t{20} << 20};
  const auto backing = make_plain_backing(ViewAddress::kIdentity);
  const auto* const host = reinterpret_cast<const std::byte*>(backing->base().value());
  backing->populate(backing->base(), kSegment);
  ASSERT_EQ(is_poisoned(host), poison_is_active());
  backing->release(backing->base(), kSegment);
  backing->populate(backing->base(), kAboveTheLimit);
  backing->map(backing->base(), kAboveTheLimit, HostAccess::kReadWrite);
  EXPECT_FALSE(is_poisoned(host));
  EXPECT_FALSE(is_poisoned(host + kSegment.count() - 1));
}

class PoisonAfterTheEnd : public ::testing::TestWithParam<ViewAddress> {};

TEST_P(PoisonAfterTheEnd, IsNotInheritedByWhoeverMapsTheAddressNext) {
  auto first = make_plain_backing(GetParam());
  first->populate(first->base(), kSegment);
  auto* const view = static_cast<std::byte*>(first->map(first->base(), kPage, HostAccess::kReadWrite));
  first->unmap(first->base(), kPage);
  ASSERT_EQ(is_poisoned(view), poison_is_active());
  first.reset();
  EXPECT_FALSE(is_poisoned(view));
  EXPECT_FALSE(is_poisoned(view + kSegment.count() - 1));
}

INSTANTIATE_TEST_SUITE_P(Views, PoisonAfterTheEnd, ::testing::Values(ViewAddress::kIdentity, ViewAddress::kElsewhere));

TEST(PlainBacking, PoisonOfAnEndedMachineIsNotInherited) {
  auto first = make_plain_backing(ViewAddress::kIdentity);
  const auto* const host = reinterpret_cast<const std::byte*>(first->base().value());
  first->populate(first->base(), kSegment);
  first.reset();
  const auto second = make_plain_backing(ViewAddress::kIdentity);
  ASSERT_EQ(reinterpret_cast<const std::byte*>(second->base().value()), host);
  EXPECT_FALSE(is_poisoned(host));
}

}  // namespace
}  // namespace svmsim
