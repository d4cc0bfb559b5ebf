// SPDX-License-Identifier: Apache-2.0
#include "fuzz/operation_mutator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fuzz/scenario_bytes.h"

namespace svmsim {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Records of which each holds its own number.
Bytes numbered(std::uint8_t first, std::size_t count) {
  Bytes bytes;
  for (std::size_t i = 0; i < count; ++i) bytes.insert(bytes.end(), kRecordBytes, static_cast<std::uint8_t>(first + i));
  return bytes;
}

Bytes record(const Bytes& bytes, std::size_t index) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(index * kRecordBytes);
  return {begin, begin + kRecordBytes};
}

TEST(OperationMutator, SameSeedGivesTheSame) {
  const Bytes bytes = numbered(10, 9);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(mutated(bytes, kMostScenarioBytes, seed), mutated(bytes, kMostScenarioBytes, seed));
  }
  EXPECT_NE(mutated(bytes, kMostScenarioBytes, 1), mutated(bytes, kMostScenarioBytes, 2));
}

TEST(OperationMutator, GivesWholeRecordsWithinTheRoom) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, kRecordBytes, kRecordBytes + 1, kMostScenarioBytes}) {
    for (const std::size_t most : {kRecordBytes, 2 * kRecordBytes + 3, kMostScenarioBytes}) {
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        for (const Bytes& made :
             {mutated(Bytes(size, 1), most, seed), spliced(Bytes(size, 1), Bytes(most, 2), most, seed)}) {
          EXPECT_EQ(made.size() % kRecordBytes, 0u);
          EXPECT_GE(made.size(), kRecordBytes);
          EXPECT_LE(made.size(), most);
        }
      }
    }
  }
}

// Each of the ways in which operations change, alone.
TEST(OperationMutator, InsertsDeletesSwapsRepeatsAndChanges) {
  Bytes bytes = numbered(100, 6);
  bytes[kSlowByte] = 0;
  bool inserted = false;
  bool deleted = false;
  bool swapped = false;
  bool repeated = false;
  bool setting = false;
  std::set<std::size_t> changed_bytes;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Bytes made = mutated(bytes, kMostScenarioBytes, seed);
    const std::size_t count = made.size() / kRecordBytes;
    std::vector<Bytes> records;
    for (std::size_t i = 0; i < count; ++i) records.push_back(record(made, i));
    const auto is_old = [&](const Bytes& one) {
      return one == record(bytes, 0) || (one == Bytes(kRecordBytes, one[0]) && one[0] > 100 && one[0] < 106);
    };
    const auto old = static_cast<std::size_t>(std::count_if(records.begin(), records.end(), is_old));
    const bool distinct = std::set<Bytes>(records.begin(), records.end()).size() == count;
    inserted |= count == 7 && old == 6 && distinct;
    deleted |= count == 5 && old == 5 && distinct;
    swapped |= count == 6 && old == 6 && distinct && made != bytes;
    repeated |= count > 6 && old == count && !distinct;
    setting |= count == 6 && !is_old(records[0]) && old == 5;
    if (count != 6 || old != 5 || !is_old(records[0])) continue;
    for (std::size_t i = kRecordBytes; i < made.size(); ++i) {
      if (made[i] != bytes[i]) changed_bytes.insert(i % kRecordBytes);
    }
  }
  EXPECT_TRUE(inserted);
  EXPECT_TRUE(deleted);
  EXPECT_TRUE(swapped);
  EXPECT_TRUE(repeated);
  EXPECT_TRUE(setting);
  EXPECT_EQ(changed_bytes.size(), kRecordBytes) << "every byte of an operation";
}

// Forks are kept rare, also among the offspring of inputs that have one.
TEST(OperationMutator, SlowOperationsAreAskedForSeldom) {
  for (const std::uint8_t slow : {std::uint8_t{0}, kSlow}) {
    Bytes bytes = numbered(1, 4);
    bytes[kSlowByte] = slow;
    std::size_t asked = 0;
    for (std::uint64_t seed = 0; seed < 5000; ++seed) {
      if (mutated(bytes, kMostScenarioBytes, seed)[kSlowByte] == kSlow) ++asked;
    }
    EXPECT_GE(asked, 1u) << "after " << int{slow};
    EXPECT_LE(asked, 500u) << "after " << int{slow};
  }
}

TEST(OperationMutator, SpliceIsTheBeginningOfOneAndTheEndOfTheOther) {
  const Bytes one = numbered(10, 5);
  const Bytes other = numbered(50, 7);
  std::set<std::size_t> lengths;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Bytes made = spliced(one, other, kMostScenarioBytes, seed);
    const auto first_of_other = std::find_if(made.begin(), made.end(), [](std::uint8_t byte) { return byte >= 50; });
    const auto from_one = static_cast<std::size_t>(first_of_other - made.begin());
    const std::size_t from_other = made.size() - from_one;
    ASSERT_GE(from_one, kRecordBytes) << "the setting is that of the first";
    EXPECT_TRUE(std::equal(made.begin(), first_of_other, one.begin()));
    EXPECT_TRUE(std::equal(first_of_other, made.end(), other.end() - static_cast<std::ptrdiff_t>(from_other)));
    EXPECT_LT(from_other, other.size()) << "without the setting of the other";
    lengths.insert(made.size());
  }
  EXPECT_GE(lengths.size(), 8u);
}

}  // namespace
}  // namespace svmsim
