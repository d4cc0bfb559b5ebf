// SPDX-License-Identifier: Apache-2.0
// Claims, reads and writes.
#include <gtest/gtest.h>

#include "property_tests/model_bench.h"

namespace svmsim {
namespace {

using namespace bench;
using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;
using svmrt::Policy;

constexpr std::uint64_t kTop = ~std::uint64_t{0};

TEST(ModelClaim, RefusesWhatIsNoRangeAndWhatComesAfterTheClose) {
  Bench bench;
  EXPECT_EQ(bench.open(0), Answer::kOk);
  EXPECT_EQ(bench.claim(0, 0, 0, 8), Answer::kSkipped) << "the slot never held a block";
  bench.allocate(0, 64);
  EXPECT_EQ(bench.claim(1, 0, 0, 8), Answer::kSkipped) << "the run is not open";
  EXPECT_EQ(bench.claim(0, 0, 0, 0), Answer::kInvalidArgument);
  EXPECT_EQ(bench.claim(0, 0, 0, kTop - kFirstAddress + 1), Answer::kOk) << "ends with the last byte";
  EXPECT_EQ(bench.claim(0, 0, 0, kTop - kFirstAddress + 2), Answer::kInvalidArgument);
  EXPECT_EQ(bench.claim(0, 0, std::uint64_t{0} - kFirstAddress, 8), Answer::kInvalidArgument) << "null";
  bench.close(0);
  EXPECT_EQ(bench.claim(0, 0, 0, 8), Answer::kInvalidArgument);
  EXPECT_EQ(bench.read(0, 0), Answer::kUnavailable);
  EXPECT_EQ(bench.close(0), Answer::kOk);
}

TEST(ModelClaim, StagedNeedsALiveBlockAndAtMost64KiB) {
  Bench bench;
  bench.allocate(0, 65536 + 8);
  bench.open(0);
  EXPECT_EQ(bench.claim(0, 0, 8, 65536, RegionKind::kStaged), Answer::kOk);
  EXPECT_EQ(bench.claim(0, 0, 9, 65536, RegionKind::kStaged), Answer::kSkipped) << "ends outside";
  EXPECT_EQ(bench.claim(0, 0, 0, 65537, RegionKind::kStaged), Answer::kSkipped);
  EXPECT_EQ(bench.claim(0, 0, 0, 65537), Answer::kOk);
  bench.free(0);
  EXPECT_EQ(bench.claim(0, 0, 8, 8, RegionKind::kStaged), Answer::kSkipped);
}

TEST(ModelClaim, ClaimAloneMapsOnlyUnderRegisterAll) {
  Bench cached;
  cached.allocate(0, 64);
  cached.open(0);
  cached.claim(0, 0, 0, 8);
  EXPECT_EQ(cached.mapped(), 0u);
  Bench bench(platform(), Policy::kRegisterAll);
  bench.allocate(0, 64);
  bench.open(0);
  bench.claim(0, 0, 0, 8, RegionKind::kOutputOnly);
  bench.claim(0, 0, 0, 8, RegionKind::kStaged);
  EXPECT_EQ(bench.mapped(), 0u);
  EXPECT_EQ(bench.claim(0, 0, 8, 16), Answer::kOk);
  const Snapshot snapshot = bench.model.snapshot();
  EXPECT_EQ(snapshot.mapped.size(), 1u);
  EXPECT_EQ(snapshot.runs.at(0)->accesses.regions_with_view, 1u);
  EXPECT_EQ(snapshot.runs.at(0)->accesses.bytes_with_view, Bytes(16));
  EXPECT_EQ(snapshot.runs.at(0)->accesses.accesses, 0u);
}

TEST(ModelAccess, GoesToTheFirstRegionThatCoversTheWholeSpan) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  EXPECT_EQ(bench.read(0, 0), Answer::kNoRegion);
  bench.claim(0, 0, 0, 16, RegionKind::kOutputOnly);
  bench.claim(0, 0, 0, 24, RegionKind::kWithoutData);
  EXPECT_EQ(bench.read(0, 0, 8, 8), Answer::kOutputOnly);
  EXPECT_EQ(bench.read(0, 0, 9, 8), Answer::kNoData) << "the first one ends inside";
  EXPECT_EQ(bench.read(0, 0, 17, 8), Answer::kNoRegion);
  EXPECT_EQ(bench.read(0, 0, 0, 0), Answer::kNoRegion) << "nothing covers an empty span";
  bench.claim(0, 0, 4, 8, RegionKind::kStaged);
  EXPECT_EQ(bench.read(0, 0, 4, 8), Answer::kOk) << "regions that refuse come last";
  EXPECT_EQ(bench.read(0, 0, 3, 8), Answer::kOutputOnly);
  EXPECT_EQ(bench.read(0, 0, 0, 65), Answer::kSkipped);
  EXPECT_EQ(bench.model.snapshot().runs.at(0)->accesses.accesses, 0u);
}

TEST(ModelAccess, ViewServesBothDirectionsAndIsChargedAtClose) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.claim(0, 0, 8, 32);
  EXPECT_EQ(bench.write(0, 0, 16, 9, 3), Answer::kOk);  // 2 words
  EXPECT_EQ(bench.read(0, 0, 16, 8), Answer::kOk);      // 1 word
  const Model::Expected read = bench.expected({.kind = OperationKind::kRead, .offset = 15, .size = 2});
  EXPECT_EQ(read.known, (std::vector<bool>{false, true}));
  EXPECT_EQ(read.outcome.bytes.at(1), byte_of(3, 0));
  Snapshot snapshot = bench.model.snapshot();
  EXPECT_EQ(snapshot.mapped, (std::vector<Snapshot::Block>{{DeviceAddr(kFirstAddress), Bytes(4096)}}));
  EXPECT_EQ(snapshot.held.bytes, Bytes(64)) << "the whole block, as requested";
  const svmrt::AccessStats& accesses = snapshot.runs.at(0)->accesses;
  EXPECT_EQ(accesses.accesses, 3u);
  EXPECT_EQ(accesses.view_stores, 2u);
  EXPECT_EQ(accesses.view_loads, 2u);
  EXPECT_EQ(accesses.device_copies, 0u);
  EXPECT_EQ(accesses.bytes_with_view, Bytes(32));
  EXPECT_EQ(bench.run_now(0), 7u + 1011u);
  bench.close(0);
  EXPECT_EQ(bench.run_now(0), 7u + 1011u + 2 * 11 + 2 * 13);
  bench.close(0);
  EXPECT_EQ(bench.run_now(0), 7u + 1011u + 2 * 11 + 2 * 13);
  EXPECT_EQ(bench.mapped(), 1u);
}

TEST(ModelAccess, WithoutAViewEachAccessIsOneCopyOfItsBytes) {
  Bench bench(platform(), Policy::kCopyOnly);
  bench.allocate(0, 64);
  bench.open(0);
  bench.claim(0, 0, 0, 64);
  EXPECT_EQ(bench.write(0, 0, 8, 4, 3), Answer::kOk);
  const Model::Expected read = bench.expected({.kind = OperationKind::kRead, .offset = 8, .size = 1});
  EXPECT_EQ(read.outcome.bytes, (std::vector<std::uint8_t>{byte_of(3, 0)}));
  bench.fail(CallKind::kCopyFromDevice);
  EXPECT_EQ(bench.does({.kind = OperationKind::kRead, .size = 8}), (Outcome{Answer::kCopyFailed, 17, {}}));
  const svmrt::AccessStats accesses = bench.model.snapshot().runs.at(0)->accesses;
  EXPECT_EQ(accesses.accesses, 3u);
  EXPECT_EQ(accesses.device_copies, 3u);
  EXPECT_EQ(accesses.copy_time, Picoseconds(208 + 101 + 100));
  EXPECT_EQ(bench.model.snapshot().failures.copy, 1u);
  EXPECT_EQ(bench.mapped(), 0u);
}

TEST(ModelAccess, StagedKeepsItsOwnBytesAndPushesWrites) {
  Bench bench;
  bench.allocate(0, 64);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kDeviceWrite, .offset = 8, .size = 1, .value = 1}), Answer::kOk);
  bench.open(0);
  bench.claim(0, 0, 8, 8, RegionKind::kStaged);
  bench.answers({.kind = OperationKind::kDeviceWrite, .offset = 8, .size = 2, .value = 2});
  const Operation read{.kind = OperationKind::kRead, .offset = 8, .size = 2};
  Model::Expected bytes = bench.expected(read);
  EXPECT_EQ(bytes.known, (std::vector<bool>{true, false}));
  EXPECT_EQ(bytes.outcome.bytes.at(0), byte_of(1, 0)) << "the buffer's, not the device's";
  bench.fail(CallKind::kCopyToDevice);
  EXPECT_EQ(bench.write(0, 0, 8, 2, 7), Answer::kCopyFailed);
  EXPECT_EQ(bench.expected(read).outcome.bytes.at(0), byte_of(1, 0));
  EXPECT_EQ(bench.write(0, 0, 8, 2, 7), Answer::kOk);
  bytes = bench.expected(read);
  EXPECT_EQ(bytes.known, (std::vector<bool>{true, true}));
  EXPECT_EQ(bytes.outcome.bytes, (std::vector<std::uint8_t>{byte_of(7, 0), byte_of(7, 1)}));
  EXPECT_EQ(bench.model.memory(0).begin()->second, byte_of(7, 0));
  const svmrt::AccessStats accesses = bench.model.snapshot().runs.at(0)->accesses;
  EXPECT_EQ(accesses.staged_writes, 1u);
  EXPECT_EQ(accesses.push_time, Picoseconds(200 + 204));
  EXPECT_EQ(accesses.accesses, 0u);
  EXPECT_EQ(bench.mapped(), 0u);
}

TEST(ModelAccess, BadSpanStaysBadForTheRun) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  EXPECT_EQ(bench.claim(0, 0, 60, 8), Answer::kOk);
  EXPECT_EQ(bench.read(0, 0, 60, 4), Answer::kBadSpan) << "its region runs past the block";
  EXPECT_EQ(bench.read(0, 0, 60, 4), Answer::kBadSpan);
  EXPECT_EQ(bench.model.snapshot().runs.at(0)->accesses.accesses, 2u);
  EXPECT_EQ(bench.mapped(), 0u);
  Bench copies(platform(), Policy::kCopyOnly);
  copies.allocate(0, 64);
  copies.open(0);
  copies.claim(0, 0, 60, 8);
  EXPECT_EQ(copies.read(0, 0, 60, 4), Answer::kBadSpan) << "no policy hides it";
}

TEST(ModelAccess, CopyFromABlockThatWasFreedIsSkipped) {
  Bench bench(platform(), Policy::kCopyOnly);
  bench.allocate(0, 64);
  bench.open(0);
  bench.claim(0, 0, 0, 64);
  EXPECT_EQ(bench.read(0, 0), Answer::kOk);
  EXPECT_EQ(bench.free(0), Answer::kOk);
  EXPECT_EQ(bench.read(0, 0), Answer::kSkipped);
  EXPECT_EQ(bench.write(0, 0), Answer::kSkipped);
  const Operation reused{.kind = OperationKind::kAllocate, .run = kRunner, .size = 64};
  bench.answers(reused, at(kFirstAddress));
  EXPECT_EQ(bench.read(0, 0), Answer::kSkipped) << "another block at the same address";
  bench.close(0);
  EXPECT_EQ(bench.read(0, 0), Answer::kUnavailable);
}

TEST(ModelAccess, StagedReadOutlivesTheBlockAndItsWriteDoesNot) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.claim(0, 0, 0, 8, RegionKind::kStaged);
  bench.free(0);
  EXPECT_EQ(bench.read(0, 0), Answer::kOk);
  EXPECT_EQ(bench.write(0, 0), Answer::kSkipped);
}

TEST(ModelAccess, UnresolvedRegionOfAFreedBlockIsABadSpan) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.claim(0, 0, 0, 8);
  bench.free(0);
  EXPECT_EQ(bench.read(0, 0), Answer::kBadSpan);
}

TEST(ModelAccess, AfterDeviceLossCopiesAreUnavailableAndViewsAreSkipped) {
  Bench bench;
  bench.allocate(0, 64);
  bench.allocate(1, 64);
  bench.allocate(2, 64);
  bench.open(0);
  bench.fail(CallKind::kRegister);
  bench.claim(0, 0, 0, 8);
  EXPECT_EQ(bench.read(0, 0), Answer::kOk);  // a copy
  bench.claim(0, 1, 0, 8);
  EXPECT_EQ(bench.read(0, 1), Answer::kOk);  // a view
  bench.claim(0, 2, 0, 8);
  bench.claim(0, 2, 8, 8, RegionKind::kStaged);
  bench.lose();
  EXPECT_EQ(bench.read(0, 0), Answer::kUnavailable);
  EXPECT_EQ(bench.write(0, 0), Answer::kUnavailable);
  EXPECT_EQ(bench.read(0, 1), Answer::kSkipped);
  EXPECT_EQ(bench.read(0, 2), Answer::kUnavailable);
  EXPECT_EQ(bench.read(0, 2, 8), Answer::kOk) << "the caller's own buffer";
  EXPECT_EQ(bench.write(0, 2, 8), Answer::kUnavailable);
  const svmrt::AccessStats accesses = bench.model.snapshot().runs.at(0)->accesses;
  EXPECT_EQ(accesses.accesses, 5u);
  EXPECT_EQ(accesses.device_copies, 1u);
}

TEST(ModelAccess, RegionsOfTwoRunsDoNotMeet) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.open(1);
  bench.claim(0, 0, 0, 8);
  EXPECT_EQ(bench.read(0, 0), Answer::kOk);
  EXPECT_EQ(bench.read(1, 0), Answer::kNoRegion);
}

}  // namespace
}  // namespace svmsim
