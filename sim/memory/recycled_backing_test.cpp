// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/recycled_backing.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "sim/memory/poison.h"
#include "sim/memory/slice_layout.h"
#include "sim/memory/testing/sizes.h"

namespace svmsim {
namespace {

constexpr Bytes kLarge{std::uint64_t{48} << 20};  // too large to look through

constexpr std::array kViewAddresses = {ViewAddress::kIdentity, ViewAddress::kElsewhere};

std::unique_ptr<RecycledBacking> make_recycled_backing(ViewAddress view_address = ViewAddress::kIdentity) {
  auto backing = RecycledBacking::create(view_address);
  EXPECT_TRUE(backing.has_value()) << backing.error();
  return std::move(*backing);
}

// Writes to all of a block, or to a byte of every second page, and releases it.
void use(RecycledBacking& backing, DeviceAddr base, Bytes size, std::uint64_t every) {
  backing.populate(base, size);
  for (std::uint64_t at = 0; at < size.count(); at += every) *backing.bytes_at(base + Bytes(at)) = std::byte{0xab};
  backing.release(base, size);
}

bool is_zero(const RecycledBacking& backing, DeviceAddr base, Bytes size) {
  const std::byte* const begin = backing.bytes_at(base);
  return std::all_of(begin, begin + size.count(), [](std::byte byte) { return byte == std::byte{0}; });
}

class RecycledSlice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (poison_is_active()) GTEST_SKIP() << "builds with AddressSanitizer recycle nothing";
    give_back_parked_slices();
  }
};

TEST_F(RecycledSlice, ReleasedBlockReadsAsZeros) {
  for (const ViewAddress view_address : kViewAddresses) {
    const auto backing = make_recycled_backing(view_address);
    for (const Bytes size : {kPage, kSegment, kLarge}) {
      for (const std::uint64_t every : {std::uint64_t{64}, 2 * kPage.count()}) {
        use(*backing, backing->base() + kSegment, size, every);
        EXPECT_TRUE(is_zero(*backing, backing->base() + kSegment, size)) << size.count() << " every " << every;
      }
    }
  }
}

TEST_F(RecycledSlice, NextMachineGetsTheSameMemoryWithZeros) {
  for (const ViewAddress view_address : kViewAddresses) {
    auto first = make_recycled_backing(view_address);
    const DeviceAddr base = first->base();
    const std::byte* const views = first->view_base();
    use(*first, base, kSegment, 1);
    first.reset();
    const auto second = make_recycled_backing(view_address);
    EXPECT_EQ(second->base(), base);
    EXPECT_EQ(second->view_base(), views);
    EXPECT_TRUE(is_zero(*second, base, kSegment));
  }
}

// Machines of two platforms by turns, as a fuzzer makes them: neither gives back what the other parked.
TEST_F(RecycledSlice, EachKindOfViewsHasItsOwnPlace) {
  std::array<std::set<DeviceAddr>, 2> bases;
  for (std::size_t i = 0; i < 6; ++i) bases[i % 2].insert(make_recycled_backing(kViewAddresses[i % 2])->base());
  EXPECT_EQ(bases[0].size(), 1u);
  EXPECT_EQ(bases[1].size(), 1u);
  EXPECT_NE(bases[0], bases[1]);
}

TEST_F(RecycledSlice, DeviceAddressFaultsWhereViewsLieElsewhere) {
  make_recycled_backing().reset();
  const auto backing = make_recycled_backing(ViewAddress::kElsewhere);
  EXPECT_DEATH(
      {
        auto* const raw = reinterpret_cast<volatile char*>(backing->base().value());
        *raw = 1;
      },
      "");
}

TEST_F(RecycledSlice, ReleaseLeavesTheNeighboursAlone) {
  const auto backing = make_recycled_backing();
  const DeviceAddr base = backing->base();
  std::memset(backing->bytes_at(base), 0xcd, 3 * kSegment.count());
  backing->release(base + kSegment, kSegment);
  EXPECT_EQ(*(backing->bytes_at(base + kSegment) - 1), std::byte{0xcd});
  EXPECT_EQ(*backing->bytes_at(base + kSegment + kSegment), std::byte{0xcd});
  EXPECT_TRUE(is_zero(*backing, base + kSegment, kSegment));
  backing->release(base, kSegment);
  backing->release(base + kSegment + kSegment, kSegment);
}

// As a block of 4 KiB does on a host of 64 KiB pages; the larger one reaches into a second page.
TEST_F(RecycledSlice, PartOfAPageLeavesTheRestOfItAlone) {
  const auto backing = make_recycled_backing();
  const DeviceAddr base = backing->base();
  const DeviceAddr part = base + Bytes(1024);
  for (const Bytes size : {Bytes(1024), kPage}) {
    std::memset(backing->bytes_at(base), 0xcd, 2 * kPage.count());
    backing->release(part, size);
    EXPECT_EQ(*(backing->bytes_at(part) - 1), std::byte{0xcd});
    EXPECT_EQ(*backing->bytes_at(part + size), std::byte{0xcd});
    EXPECT_TRUE(is_zero(*backing, part, size));
  }
  backing->release(base, kSegment);
}

// What the kernel told the parent of its pages says nothing of the child's.
TEST_F(RecycledSlice, ForkedChildReleasesItsOwnPages) {
  auto backing = make_recycled_backing();
  use(*backing, backing->base(), kSegment, 1);
  backing.reset();
  const pid_t child = fork();
  if (child == 0) {
    const auto mine = make_recycled_backing();
    const DeviceAddr untouched = mine->base() + Bytes(std::uint64_t{1} << 30);  // by the parent, in any test
    use(*mine, untouched, kSegment, 1);
    _exit(is_zero(*mine, untouched, kSegment) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(RecycledSlice, ParkedSliceIsFreeForOthers) {
  auto recycled = make_recycled_backing();
  const DeviceAddr base = recycled->base();
  recycled.reset();
  const auto plain = make_slice_backing(BackingKind::kPlain, ViewAddress::kIdentity);
  ASSERT_TRUE(plain.has_value()) << plain.error();
  EXPECT_EQ((*plain)->base(), base);
  EXPECT_EQ(make_recycled_backing()->base(), base + (*plain)->size());
}

TEST_F(RecycledSlice, TwoAtOnceDoNotShareASlice) {
  auto first = make_recycled_backing();
  auto second = make_recycled_backing();
  EXPECT_EQ(second->base(), first->base() + first->size());
  first.reset();
  const DeviceAddr base = second->base();
  second.reset();
  EXPECT_EQ(make_recycled_backing()->base() + slice_layout().slice, base) << "the lowest that is free, as ever";
}

}  // namespace
}  // namespace svmsim
