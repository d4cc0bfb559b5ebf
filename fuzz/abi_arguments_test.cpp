// SPDX-License-Identifier: Apache-2.0
#include "fuzz/abi_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fuzz/abi_arena.h"

namespace svmsim {
namespace {

using testing::IsSupersetOf;

constexpr std::uint64_t kSlice = 0x12c000000000;

AbiCall first_argument(unsigned kind, unsigned which) {
  const ArgumentBytes bytes{static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(which)};
  return {AbiFunction::aclrtMemcpy, false, {bytes}};
}

TEST(AbiArguments, DestinationIsNeverHostMemoryThatWasFreedNorMoreThanIsThere) {
  for (const bool lives : {false, true}) {
    AbiBooks books;
    books.add({HandleKind::kHostBlock, 0x5000, 4096});
    books.add({HandleKind::kSeen, 0x100000000000, 4096});
    if (lives) books.host_block_allocated(0x5000);
    bool seen = false;
    for (unsigned bytes = 0; bytes < 65536; ++bytes) {
      const AbiCall call = first_argument(bytes >> 8, bytes & 0xff);
      AbiArguments given(call, books, kSlice, false);
      const Destination to = given.destination(Usual::kHostBlock);
      const auto address = reinterpret_cast<std::uint64_t>(to.address);
      ASSERT_FALSE(address >= 0x100000000000 && address < 0x100000001000);
      const bool in_block = address >= 0x4000 && address < 0x7000;
      seen = seen || in_block;
      if (!in_block) continue;
      ASSERT_TRUE(lives);
      ASSERT_GE(address, 0x5000u);
      ASSERT_LE(address + to.room, 0x6000u);
    }
    EXPECT_EQ(seen, lives);
  }
}

TEST(AbiArguments, HostMemoryIsNoDestinationWhenAnotherThreadMayFreeIt) {
  AbiBooks books;
  books.add({HandleKind::kHostBlock, 0x5000, 4096});
  books.host_block_allocated(0x5000);
  const AbiCall call = first_argument(0, 0);
  EXPECT_EQ(AbiArguments(call, books, kSlice, false).destination(Usual::kHostBlock).address,
            reinterpret_cast<void*>(0x5000));
  EXPECT_EQ(AbiArguments(call, books, kSlice, true).destination(Usual::kHostBlock).address, nullptr);
}

TEST(AbiArguments, AddressIsEveryPlaceOfAHandleAndNull) {
  AbiBooks books;
  books.add({HandleKind::kBlock, kSlice, 8192});
  std::set<std::uint64_t> seen;
  for (unsigned bytes = 0; bytes < 65536; ++bytes) {
    const AbiCall call = first_argument(bytes >> 8, bytes & 0xff);
    seen.insert(reinterpret_cast<std::uint64_t>(AbiArguments(call, books, kSlice, false).address(Usual::kBlock)));
  }
  EXPECT_THAT(seen, IsSupersetOf<std::uint64_t>({0, kSlice, kSlice - 1, kSlice + 1, kSlice + 4096, kSlice + 8191,
                                                 kSlice + 8192, abi_arena().buffer, abi_arena().closed, 1}));
}

TEST(AbiArguments, CopiesAreShortOrFarTooLong) {
  const AbiBooks books;
  for (unsigned bytes = 0; bytes < 65536; ++bytes) {
    const AbiCall call = first_argument(bytes >> 8, bytes & 0xff);
    const std::uint64_t count = AbiArguments(call, books, kSlice, false).count();
    ASSERT_TRUE(count <= 128u << 10 || count >= std::uint64_t{1} << 40) << count;
  }
}

}  // namespace
}  // namespace svmsim
