// SPDX-License-Identifier: Apache-2.0
// Memory, time, failures, and the life of a runner.
#include "property_tests/model.h"

#include <gtest/gtest.h>

#include "property_tests/model_bench.h"

namespace svmsim {
namespace {

using namespace bench;
using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;

TEST(ModelMemory, AllocateTakesTheMachinesAddressAndFreeGivesItBack) {
  Bench bench;
  EXPECT_EQ(bench.allocate(0, 64), Answer::kOk);
  EXPECT_EQ(bench.model.snapshot().live_blocks, 1u);
  EXPECT_EQ(bench.runner_now(), 7u);
  EXPECT_EQ(bench.free(0), Answer::kOk);
  EXPECT_EQ(bench.model.snapshot().live_blocks, 0u);
  EXPECT_EQ(bench.runner_now(), 10u);
  EXPECT_EQ(bench.free(0), Answer::kUnknownAddress);
  EXPECT_EQ(bench.runner_now(), 10u) << "no call is made";
}

TEST(ModelMemory, SizeZeroAndMoreThanTheDeviceHasFail) {
  Bench bench;
  EXPECT_EQ(bench.allocate(0, 0), Answer::kInvalidArgument);
  EXPECT_EQ(bench.runner_now(), 0u);
  const Operation huge{.kind = OperationKind::kAllocate, .run = kRunner, .size = kScenarioHbm.count() + 1};
  EXPECT_EQ(bench.does(huge), (Outcome{Answer::kDriver, 6, {}}));
  EXPECT_EQ(bench.model.snapshot().failures.allocate, 1u);
  EXPECT_EQ(bench.runner_now(), 7u);
  EXPECT_EQ(bench.free(0), Answer::kSkipped) << "the slot never held a block";
}

TEST(ModelMemory, AnAddressThatIsInUseIsAFailureWithoutACode) {
  Bench bench;
  bench.allocate(0, 4096);
  const Operation second{.kind = OperationKind::kAllocate, .slot = 1, .run = kRunner, .size = 64};
  EXPECT_EQ(bench.does(second, at(kFirstAddress + 4095)), (Outcome{Answer::kDriver, 0, {}}));
  EXPECT_EQ(bench.model.snapshot().failures.allocate, 0u) << "the driver did not fail";
  EXPECT_EQ(bench.does(second, at(kFirstAddress + 4096)), (Outcome{Answer::kOk, 0, {}}));
}

TEST(ModelMemory, FreeOfAnInteriorOrUnknownAddress) {
  Bench bench;
  bench.allocate(0, 100);
  EXPECT_EQ(bench.free(0, 99), Answer::kInteriorAddress);
  EXPECT_EQ(bench.free(0, 100), Answer::kUnknownAddress);
  EXPECT_EQ(bench.free(0, ~std::uint64_t{0}), Answer::kUnknownAddress) << "one below the base";
  EXPECT_EQ(bench.model.snapshot().live_blocks, 1u);
}

TEST(ModelMemory, FreeOfAnotherSlotsBlockIsSkipped) {
  Bench bench;
  bench.allocate(0, 64);
  bench.allocate(1, 64);
  EXPECT_EQ(bench.free(0, kStride), Answer::kSkipped);
  EXPECT_EQ(bench.free(0, kStride + 1), Answer::kInteriorAddress);
  bench.free(0);
  const Operation reused{.kind = OperationKind::kAllocate, .slot = 2, .run = kRunner, .size = 64};
  EXPECT_EQ(bench.answers(reused, at(kFirstAddress)), Answer::kOk);
  EXPECT_EQ(bench.free(0), Answer::kSkipped) << "the address that slot 0 remembers is slot 2's";
  EXPECT_EQ(bench.free(2), Answer::kOk);
}

TEST(ModelMemory, SlotsHoldOneBlock) {
  Bench bench;
  bench.allocate(0, 64);
  EXPECT_EQ(bench.allocate(0, 64), Answer::kSkipped);
  EXPECT_EQ(bench.allocate(kSlots, 64), Answer::kSkipped);
  EXPECT_EQ(bench.allocate(kSlots - 1, 64), Answer::kOk);
}

TEST(ModelMemory, FailedFreeKeepsTheBlockAndReportsIt) {
  Bench bench;
  bench.allocate(0, 64);
  bench.fail(CallKind::kFree, DriverCode::kBusy);
  EXPECT_EQ(bench.does({.kind = OperationKind::kFree, .run = kRunner}), (Outcome{Answer::kDriver, 13, {}}));
  EXPECT_EQ(bench.runner_now(), 7u + 3u);
  const Snapshot snapshot = bench.model.snapshot();
  EXPECT_EQ(snapshot.failures.free, 1u);
  EXPECT_EQ(snapshot.live_blocks, 1u);
  EXPECT_EQ(snapshot.quarantined, (std::vector<Snapshot::Block>{{DeviceAddr(kFirstAddress), Bytes(64)}}));
  EXPECT_EQ(bench.free(0), Answer::kOk);
  EXPECT_TRUE(bench.model.snapshot().quarantined.empty());
}

TEST(ModelMemory, BytesAreThoseLastWrittenAndUnknownElsewhere) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kUpload, .offset = 2, .size = 2, .value = 5}), Answer::kOk);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kDeviceWrite, .offset = 3, .size = 1, .value = 9}), Answer::kOk);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kSetMemory, .offset = 6, .size = 1, .value = 0x1ab}), Answer::kOk);
  const Model::Expected read = bench.expected({.kind = OperationKind::kDownload, .offset = 1, .size = 6});
  EXPECT_EQ(read.known, (std::vector<bool>{false, true, true, false, false, true}));
  EXPECT_EQ(read.outcome.bytes.at(1), byte_of(5, 0));
  EXPECT_EQ(read.outcome.bytes.at(2), byte_of(9, 0));
  EXPECT_EQ(read.outcome.bytes.at(5), 0xab);
  const ModelBytes all = {{2, byte_of(5, 0)}, {3, byte_of(9, 0)}, {6, 0xab}};
  EXPECT_EQ(bench.model.memory(0), all);
  EXPECT_EQ(bench.run_now(0), 7u + (200 + 2 * 2) + (50 + 1) + (100 + 6));
  bench.free(0);
  EXPECT_TRUE(bench.model.memory(0).empty());
  const Operation reused{.kind = OperationKind::kAllocate, .run = kRunner, .size = 64};
  bench.answers(reused, at(kFirstAddress));
  EXPECT_TRUE(bench.model.memory(0).empty()) << "a new block's bytes are unknown";
}

TEST(ModelMemory, CopiesOutsideTheSlotsBlockAreSkipped) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kDownload, .offset = 56, .size = 8}), Answer::kOk);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kDownload, .offset = 57, .size = 8}), Answer::kSkipped);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kUpload, .size = 64}), Answer::kOk);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kUpload, .size = 65}), Answer::kSkipped);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kSetMemory, .run = 1, .size = 1}), Answer::kSkipped) << "no run";
  const std::uint64_t before = bench.run_now(0);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kDownload, .offset = 64, .size = 0}), Answer::kOk);
  EXPECT_EQ(bench.run_now(0), before) << "zero bytes make no call";
}

TEST(ModelMemory, FailedCopiesChangeNothing) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.fail(CallKind::kCopyToDevice);
  bench.fail(CallKind::kCopyFromDevice, DriverCode::kBusy);
  bench.fail(CallKind::kSetMemory);
  EXPECT_EQ(bench.does({.kind = OperationKind::kUpload, .size = 8}), (Outcome{Answer::kDriver, 17, {}}));
  EXPECT_EQ(bench.does({.kind = OperationKind::kDownload, .size = 8}), (Outcome{Answer::kDriver, 13, {}}));
  EXPECT_EQ(bench.does({.kind = OperationKind::kSetMemory, .size = 8}), (Outcome{Answer::kDriver, 17, {}}));
  EXPECT_TRUE(bench.model.memory(0).empty());
  EXPECT_EQ(bench.model.snapshot().failures.copy, 3u);
  EXPECT_EQ(bench.run_now(0), 7u + 200 + 100 + 50);
}

TEST(ModelFailNext, WaitsForItsKindAndHitsOnce) {
  Bench bench;
  EXPECT_EQ(bench.fail(CallKind::kAllocate, DriverCode::kNoResources), Answer::kOk);
  EXPECT_EQ(bench.fail(CallKind::kAllocate), Answer::kSkipped) << "that is already to happen";
  EXPECT_EQ(bench.fail(CallKind::kFree, DriverCode::kNone), Answer::kSkipped);
  EXPECT_EQ(bench.fail(CallKind::kCopyOnDevice), Answer::kSkipped) << "the runtime has no such call";
  EXPECT_EQ(bench.fail(CallKind::kClose), Answer::kSkipped);
  const Operation allocate{.kind = OperationKind::kAllocate, .run = kRunner, .size = 64};
  EXPECT_EQ(bench.does(allocate), (Outcome{Answer::kDriver, 14, {}}));
  EXPECT_EQ(bench.answers(allocate), Answer::kOk);
  EXPECT_EQ(bench.fail(CallKind::kAllocate), Answer::kOk);
}

TEST(ModelTime, TheDriverServesOneTimelineAtATime) {
  Bench bench;
  bench.open(0);
  bench.open(1);
  EXPECT_EQ(bench.allocate(0, 64, 0), Answer::kOk);  // 0 to 7
  EXPECT_EQ(bench.allocate(1, 64, 1), Answer::kOk);  // waits until 7
  EXPECT_EQ(bench.run_now(0), 7u);
  EXPECT_EQ(bench.run_now(1), 14u);
  EXPECT_EQ(bench.runner_now(), 0u);
  EXPECT_EQ(bench.end(1), Answer::kOk);
  EXPECT_EQ(bench.runner_now(), 14u);
  EXPECT_EQ(bench.end(0), Answer::kOk);
  EXPECT_EQ(bench.runner_now(), 14u) << "an earlier end moves nothing";
  EXPECT_EQ(bench.open(2), Answer::kOk);
  EXPECT_EQ(bench.run_now(2), 14u);
}

TEST(ModelTime, MapTimeIncludesTheWaitForTheDriver) {
  Bench bench;
  bench.allocate(0, 64);  // until 7
  bench.open(0);
  bench.open(1);
  bench.allocate(1, 64, 1);  // 7 to 14
  EXPECT_EQ(bench.map(0, 0), Answer::kOk);
  const Snapshot snapshot = bench.model.snapshot();
  EXPECT_EQ(snapshot.runs.at(0)->now, Picoseconds(14 + 1011));
  EXPECT_EQ(snapshot.runs.at(0)->mappings.map_time, Picoseconds(7 + 1011));
  EXPECT_EQ(snapshot.totals.map_time, Picoseconds(7 + 1011));
}

TEST(ModelLife, FinalizeUnmapsThenFreesAndThenRefusesEveryCall) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.map(0, 0);
  EXPECT_EQ(bench.finalize(), Answer::kInUse);
  bench.end(0);
  EXPECT_EQ(bench.mapped(), 1u);
  const std::uint64_t before = bench.runner_now();
  EXPECT_EQ(bench.finalize(), Answer::kOk);
  EXPECT_EQ(bench.runner_now(), before + 522 + 3);
  EXPECT_EQ(bench.mapped(), 0u);
  EXPECT_EQ(bench.model.snapshot().live_blocks, 0u);
  EXPECT_EQ(bench.model.snapshot().totals.dropped, 1u);
  EXPECT_EQ(bench.allocate(1, 64), Answer::kFinalized);
  EXPECT_EQ(bench.allocate(1, 0), Answer::kInvalidArgument);
  EXPECT_EQ(bench.free(0), Answer::kFinalized);
  EXPECT_EQ(bench.open(0), Answer::kFinalized);
  EXPECT_EQ(bench.finalize(), Answer::kOk);
}

TEST(ModelLife, FinalizeKeepsWhatItCannotUnmapAndTriesAgain) {
  Bench bench;
  bench.allocate(0, 64);
  bench.allocate(1, 64);
  bench.open(0);
  bench.map(0, 0);
  bench.end(0);
  bench.fail(CallKind::kUnregister);
  EXPECT_EQ(bench.finalize(), Answer::kOk);
  Snapshot snapshot = bench.model.snapshot();
  EXPECT_EQ(snapshot.live_blocks, 1u);
  EXPECT_EQ(snapshot.quarantined, (std::vector<Snapshot::Block>{{DeviceAddr(kFirstAddress), Bytes(64)}}));
  EXPECT_EQ(snapshot.held.count, 1u);
  EXPECT_EQ(snapshot.mapped.size(), 1u);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kDeviceWrite, .size = 1}), Answer::kOk) << "it still lives";
  EXPECT_EQ(bench.finalize(), Answer::kOk);
  snapshot = bench.model.snapshot();
  EXPECT_EQ(snapshot.live_blocks, 0u);
  EXPECT_EQ(snapshot.held.count, 0u);
  EXPECT_EQ(snapshot.totals.dropped, 1u);
}

TEST(ModelLife, RestartBeginsAnewBesideWhatTheOldRunnerLeft) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.map(0, 0);
  EXPECT_EQ(bench.restart(), Answer::kSkipped) << "a run is open";
  bench.end(0);
  bench.fail(CallKind::kUnregister);
  EXPECT_EQ(bench.restart(), Answer::kOk);
  const Snapshot snapshot = bench.model.snapshot();
  EXPECT_EQ(snapshot.mapped, (std::vector<Snapshot::Block>{{DeviceAddr(kFirstAddress), Bytes(4096)}}));
  EXPECT_EQ(snapshot.live_blocks, 0u);
  EXPECT_EQ(snapshot.held.count, 0u);
  EXPECT_TRUE(snapshot.quarantined.empty());
  EXPECT_EQ(snapshot.totals.established, 0u);
  EXPECT_EQ(snapshot.failures.total(), 0u);
  EXPECT_EQ(bench.free(0), Answer::kUnknownAddress) << "the new runner does not know it";
  const Operation allocate{.kind = OperationKind::kAllocate, .run = kRunner, .size = 64};
  EXPECT_EQ(bench.does(allocate, at(kFirstAddress)), (Outcome{Answer::kDriver, 0, {}}));
  EXPECT_EQ(bench.allocate(0, 64), Answer::kOk);
  EXPECT_EQ(bench.mapped(), 1u);
}

TEST(ModelLife, DeviceLossForgetsEverythingAtTheDriversPresent) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.map(0, 0);  // until 1018
  EXPECT_EQ(bench.lose(), Answer::kOk);
  const Snapshot snapshot = bench.model.snapshot();
  EXPECT_TRUE(snapshot.mapped.empty());
  EXPECT_EQ(snapshot.held.count, 0u);
  EXPECT_EQ(snapshot.live_blocks, 0u);
  EXPECT_EQ(snapshot.totals.established, 1u);
  EXPECT_EQ(snapshot.totals.dropped, 0u);
  EXPECT_EQ(snapshot.runner_now, Picoseconds(1018)) << "the close waits for the driver and takes no time";
  EXPECT_EQ(bench.allocate(1, 64, 0), Answer::kDeviceLost);
  EXPECT_EQ(bench.free(0), Answer::kDeviceLost);
  EXPECT_EQ(bench.open(1), Answer::kDeviceLost);
  EXPECT_EQ(bench.finalize(), Answer::kDeviceLost) << "also with a run open";
  EXPECT_EQ(bench.answers({.kind = OperationKind::kUpload, .size = 8}), Answer::kSkipped);
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView);
  EXPECT_EQ(bench.unmap(0, 0), Answer::kOk) << "the run did register it";
  EXPECT_EQ(bench.unmap(0, 0), Answer::kRefused);
  EXPECT_EQ(bench.end(0), Answer::kOk);
  EXPECT_EQ(bench.restart(), Answer::kOk);
  EXPECT_EQ(bench.allocate(0, 64), Answer::kOk);
}

TEST(ModelLife, TearDownEndsRunsAndFinalizes) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.open(2);
  bench.map(2, 0);
  bench.model.tear_down();
  const Snapshot snapshot = bench.model.snapshot();
  EXPECT_FALSE(snapshot.runs.at(0).has_value());
  EXPECT_FALSE(snapshot.runs.at(2).has_value());
  EXPECT_TRUE(snapshot.mapped.empty());
  EXPECT_EQ(snapshot.runner_now, Picoseconds(7 + 1011 + 522 + 3));
}

TEST(ModelLife, ForkChangesNothingAndNeedsNoBlock) {
  Bench bench;
  EXPECT_EQ(bench.answers({.kind = OperationKind::kFork}), Answer::kOk);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kFork, .run = kRuns}), Answer::kSkipped);
  bench.allocate(0, 64);
  const Snapshot before = bench.model.snapshot();
  EXPECT_EQ(bench.answers({.kind = OperationKind::kFork}), Answer::kOk);
  EXPECT_EQ(difference(bench.model.snapshot(), before).property, "");
}

}  // namespace
}  // namespace svmsim
