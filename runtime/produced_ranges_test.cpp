// SPDX-License-Identifier: Apache-2.0
#include "runtime/produced_ranges.h"

#include <gtest/gtest.h>

#include <thread>

namespace svmrt {
namespace {

constexpr DeviceAddr at(std::uint64_t address) { return DeviceAddr(address); }

TEST(ProducedRanges, OverlapIsByTheByteAtBothEnds) {
  ProducedRanges produced;
  produced.declare(1, {{at(100), Bytes(10)}});
  EXPECT_EQ(produced.other_producer(2, at(96), Bytes(4)), 0u);
  EXPECT_EQ(produced.other_producer(2, at(96), Bytes(5)), 1u);
  EXPECT_EQ(produced.other_producer(2, at(104), Bytes(1)), 1u);
  EXPECT_EQ(produced.other_producer(2, at(109), Bytes(4)), 1u);
  EXPECT_EQ(produced.other_producer(2, at(110), Bytes(4)), 0u);
  EXPECT_EQ(produced.other_producer(2, at(0), Bytes(1000)), 1u);
}

TEST(ProducedRanges, RangesMayEndWithTheAddressSpace) {
  ProducedRanges produced;
  produced.declare(1, {{at(UINT64_MAX - 3), Bytes(4)}});
  EXPECT_EQ(produced.other_producer(2, at(UINT64_MAX), Bytes(1)), 1u);
  EXPECT_EQ(produced.other_producer(2, at(UINT64_MAX - 4), Bytes(1)), 0u);
  EXPECT_EQ(produced.other_producer(2, at(1), Bytes(8)), 0u);
}

TEST(ProducedRanges, ARunIsNoProducerToItself) {
  ProducedRanges produced;
  produced.declare(1, {{at(100), Bytes(10)}});
  EXPECT_EQ(produced.other_producer(1, at(100), Bytes(10)), 0u);
}

TEST(ProducedRanges, TheFirstOpenedOfSeveralProducersIsNamed) {
  ProducedRanges produced;
  produced.declare(7, {{at(100), Bytes(10)}});
  produced.declare(3, {{at(0), Bytes(1)}, {at(105), Bytes(1)}});
  EXPECT_EQ(produced.other_producer(9, at(105), Bytes(1)), 3u);
  EXPECT_EQ(produced.other_producer(9, at(106), Bytes(1)), 7u);
  EXPECT_EQ(produced.other_producer(3, at(105), Bytes(1)), 7u);
}

TEST(ProducedRanges, WithdrawnRangesOfEveryDeclarationAreForgotten) {
  ProducedRanges produced;
  produced.declare(1, {{at(100), Bytes(10)}});
  produced.declare(1, {{at(200), Bytes(10)}});
  produced.declare(2, {{at(300), Bytes(10)}});
  produced.declare(2, {});
  produced.withdraw(1);
  produced.withdraw(1);
  produced.withdraw(5);
  EXPECT_EQ(produced.other_producer(9, at(100), Bytes(1)), 0u);
  EXPECT_EQ(produced.other_producer(9, at(200), Bytes(1)), 0u);
  EXPECT_EQ(produced.other_producer(9, at(300), Bytes(1)), 2u);
  produced.withdraw(2);
  EXPECT_EQ(produced.other_producer(9, at(300), Bytes(1)), 0u);
}

TEST(ProducedRanges, RunsOnSeveralThreadsSeeEachOthersRanges) {
  ProducedRanges produced;
  produced.declare(100, {{at(0), Bytes(1)}});
  const auto live = [&](RunNumber run) {
    for (int i = 0; i < 2000; ++i) {
      produced.declare(run, {{at(run * 16), Bytes(16)}});
      EXPECT_EQ(produced.other_producer(100, at(run * 16 + 15), Bytes(1)), run);
      EXPECT_EQ(produced.other_producer(run, at(0), Bytes(1)), 100u);
      produced.withdraw(run);
      EXPECT_EQ(produced.other_producer(100, at(run * 16), Bytes(16)), 0u);
    }
  };
  std::thread first(live, 1);
  std::thread second(live, 2);
  first.join();
  second.join();
  EXPECT_EQ(produced.other_producer(1, at(0), Bytes(1000)), 100u);
}

}  // namespace
}  // namespace svmrt
