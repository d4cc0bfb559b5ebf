// SPDX-License-Identifier: Apache-2.0
#include "fuzz/abi_bytes.h"

#include <gtest/gtest.h>

#include <set>

namespace svmsim {
namespace {

AbiInput two_calls() {
  AbiInput input;
  input.platform = 3;
  input.backing = BackingKind::kPlain;
  input.threads = AbiThreads::kTwoByTurns;
  input.calls.push_back({AbiFunction::aclrtSetDevice, true, {}});
  input.calls.push_back({AbiFunction::dsmi_get_version, false, {ArgumentBytes{1, 2}, {}, {3, 4}, {}, {5, 6}}});
  return input;
}

TEST(AbiBytes, ReadWhatWasWritten) {
  const std::vector<std::uint8_t> bytes = abi_bytes(two_calls());
  EXPECT_EQ(bytes.size(), 3 * kAbiRecordBytes);
  const AbiInput read = abi_input(bytes);
  EXPECT_EQ(read.platform, 3);
  EXPECT_EQ(read.backing, BackingKind::kPlain);
  EXPECT_EQ(read.threads, AbiThreads::kTwoByTurns);
  ASSERT_EQ(read.calls.size(), 2u);
  EXPECT_EQ(read.calls[0].function, AbiFunction::aclrtSetDevice);
  EXPECT_TRUE(read.calls[0].second_thread);
  EXPECT_EQ(read.calls[1].function, AbiFunction::dsmi_get_version);
  EXPECT_EQ(read.calls[1].arguments[2].which, 4);
  EXPECT_EQ(read.calls[1].arguments[4].kind, 5);
}

TEST(AbiBytes, AnyBytesAreAtMost32Calls) {
  EXPECT_TRUE(abi_input({}).calls.empty());
  const std::vector<std::uint8_t> short_of_one(kAbiRecordBytes - 1, 0xff);
  EXPECT_TRUE(abi_input(short_of_one).calls.empty());
  const std::vector<std::uint8_t> many(kAbiRecordBytes * 100, 0xff);
  EXPECT_EQ(abi_input(many).calls.size(), kMostAbiCalls);
}

TEST(AbiMutator, ReachesEveryFunctionAndKeepsToItsRoom) {
  std::vector<std::uint8_t> bytes;
  std::set<std::string_view> seen;
  std::set<AbiThreads> threads;
  constexpr std::size_t kRoom = 10 * kAbiRecordBytes;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const std::vector<std::uint8_t> next = mutated_abi(bytes, kRoom, seed);
    ASSERT_LE(next.size(), kRoom);
    ASSERT_EQ(next, mutated_abi(bytes, kRoom, seed)) << seed;
    bytes = next;
    const AbiInput input = abi_input(bytes);
    threads.insert(input.threads);
    for (const AbiCall& call : input.calls) seen.insert(name_of(call.function));
  }
  EXPECT_EQ(seen.size(), kAbiFunctions);
  EXPECT_EQ(threads.size(), 3u);
}

TEST(AbiMutator, SplicesTheBeginOfOneToTheEndOfTheOther) {
  const std::vector<std::uint8_t> one = abi_bytes(two_calls());
  AbiInput other;
  other.calls.push_back({AbiFunction::aclInit, false, {}});
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const AbiInput spliced = abi_input(spliced_abi(one, abi_bytes(other), kMostAbiBytes, seed));
    EXPECT_EQ(spliced.platform, 3);
    EXPECT_LE(spliced.calls.size(), 3u);
  }
}

}  // namespace
}  // namespace svmsim
