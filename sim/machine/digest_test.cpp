// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/digest.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

namespace svmsim {
namespace {

std::uint64_t digest_of(std::span<const std::byte> bytes) {
  Digest digest;
  digest.add_bytes(bytes);
  return digest.value();
}

TEST(Digest, EveryByteAndEveryLengthCounts) {
  std::vector<std::byte> bytes(100);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  std::set<std::uint64_t> seen{digest_of(bytes)};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{1};
    EXPECT_TRUE(seen.insert(digest_of(bytes)).second) << "byte " << i;
    bytes[i] ^= std::byte{1};
  }
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_TRUE(seen.insert(digest_of(std::span(bytes).first(length))).second) << "length " << length;
  }
}

TEST(Digest, SwappedWordsOfOneLaneChangeIt) {
  std::vector<std::byte> bytes(64);
  bytes[0] = std::byte{1};  // word 0 and word 4 go through the same lane
  bytes[32] = std::byte{2};
  const std::uint64_t before = digest_of(bytes);
  std::swap(bytes[0], bytes[32]);
  EXPECT_NE(digest_of(bytes), before);
}

TEST(Digest, OrderOfWordsCounts) {
  Digest ab;
  ab.add(1);
  ab.add(2);
  Digest ba;
  ba.add(2);
  ba.add(1);
  EXPECT_NE(ab.value(), ba.value());
}

TEST(Digest, JoinedBytesDifferFromTwoAdds) {
  const std::vector<std::byte> bytes(16, std::byte{3});
  Digest twice;
  twice.add_bytes(std::span(bytes).first(8));
  twice.add_bytes(std::span(bytes).last(8));
  EXPECT_NE(twice.value(), digest_of(bytes));
}

TEST(Digest, TextIsSixteenHexDigitsWithLeadingZeros) {
  EXPECT_EQ(digest_text(0x1a), "000000000000001a");
  EXPECT_EQ(digest_text(UINT64_MAX), "ffffffffffffffff");
}

}  // namespace
}  // namespace svmsim
