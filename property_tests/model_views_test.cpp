// SPDX-License-Identifier: Apache-2.0
// When a mapping comes and goes: policies and failures.
#include <gtest/gtest.h>

#include "property_tests/model_bench.h"

namespace svmsim {
namespace {

using namespace bench;
using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;
using svmrt::Policy;

// A run that reads from each of these slots; false when one of the reads fails.
bool reads(Bench& bench, std::uint8_t run, std::initializer_list<std::uint8_t> slots) {
  if (bench.open(run) != Answer::kOk) return false;
  for (const std::uint8_t slot : slots) {
    if (bench.claim(run, slot, 0, 8) != Answer::kOk || bench.read(run, slot) != Answer::kOk) return false;
  }
  return true;
}

svmrt::AccessStats accesses_of(const Bench& bench, std::size_t run) {
  return bench.model.snapshot().runs.at(run)->accesses;
}

std::vector<std::uint64_t> mapped_bases(const Bench& bench) {
  std::vector<std::uint64_t> bases;
  for (const Snapshot::Block& block : bench.model.snapshot().mapped) bases.push_back(block.base.value());
  return bases;
}

TEST(ModelPolicy, CachedKeepsAMappingUntilTheFree) {
  Bench bench;
  bench.allocate(0, 64);
  ASSERT_TRUE(reads(bench, 0, {0}));
  bench.end(0);
  EXPECT_EQ(bench.mapped(), 1u);
  ASSERT_TRUE(reads(bench, 0, {0}));
  EXPECT_EQ(bench.model.snapshot().totals.established, 1u);
  EXPECT_EQ(bench.model.snapshot().runs.at(0)->mappings.established, 0u);
  EXPECT_EQ(bench.free(0), Answer::kInUse);
  EXPECT_EQ(bench.close(0), Answer::kOk);
  EXPECT_EQ(bench.free(0, 0, 0), Answer::kOk);
  EXPECT_EQ(bench.mapped(), 0u);
  EXPECT_EQ(bench.model.snapshot().runs.at(0)->mappings.dropped, 1u) << "the run that freed counts it";
  EXPECT_EQ(bench.model.snapshot().runs.at(0)->mappings.unmap_time, Picoseconds(522));
  EXPECT_EQ(bench.model.snapshot().totals.dropped, 1u);
}

TEST(ModelPolicy, RebuildAndRegisterAllDropWithTheLastUser) {
  for (const Policy policy : {Policy::kRebuild, Policy::kRegisterAll}) {
    Bench bench(platform(), policy);
    bench.allocate(0, 64);
    ASSERT_TRUE(reads(bench, 0, {0}));
    ASSERT_TRUE(reads(bench, 1, {0}));
    bench.close(0);
    EXPECT_EQ(bench.mapped(), 1u);
    bench.close(1);
    EXPECT_EQ(bench.mapped(), 0u);
    EXPECT_EQ(bench.model.snapshot().runs.at(0)->mappings.dropped, 0u);
    EXPECT_EQ(bench.model.snapshot().runs.at(1)->mappings.dropped, 1u);
    EXPECT_EQ(bench.free(0), Answer::kOk) << "no run uses it, though both are open";
  }
}

TEST(ModelPolicy, CopyOnlyNeverMapsByHandEither) {
  Bench bench(platform(), Policy::kCopyOnly);
  bench.allocate(0, 64);
  bench.open(0);
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView);
  EXPECT_EQ(bench.unmap(0, 0), Answer::kRefused);
  EXPECT_EQ(bench.model.snapshot().failures.register_to_host, 0u);
}

TEST(ModelBudget, ExactlyTheLimitFitsAndOneByteLessEvicts) {
  Bench fits(platform(), Policy::budget(Bytes(128)));
  fits.allocate(0, 64);
  fits.allocate(1, 64);
  ASSERT_TRUE(reads(fits, 0, {0}));
  fits.end(0);
  ASSERT_TRUE(reads(fits, 0, {1}));
  EXPECT_EQ(fits.mapped(), 2u);
  Bench bench(platform(), Policy::budget(Bytes(127)));
  bench.allocate(0, 64);
  bench.allocate(1, 64);
  ASSERT_TRUE(reads(bench, 0, {0}));
  bench.end(0);
  ASSERT_TRUE(reads(bench, 0, {1}));
  EXPECT_EQ(mapped_bases(bench), (std::vector<std::uint64_t>{kFirstAddress + kStride}));
  EXPECT_EQ(bench.model.snapshot().runs.at(0)->mappings.dropped, 1u);
  EXPECT_EQ(bench.model.snapshot().runs.at(0)->mappings.established, 1u);
}

TEST(ModelBudget, TheOneGrantedLongestAgoGoesFirst) {
  Bench bench(platform(), Policy::budget(Bytes(128)));
  for (std::uint8_t slot = 0; slot < 3; ++slot) bench.allocate(slot, 64);
  ASSERT_TRUE(reads(bench, 0, {0, 1}));
  bench.end(0);
  ASSERT_TRUE(reads(bench, 0, {0}));  // now 1 is the older one
  bench.end(0);
  ASSERT_TRUE(reads(bench, 0, {2}));
  EXPECT_EQ(mapped_bases(bench), (std::vector<std::uint64_t>{kFirstAddress, kFirstAddress + 2 * kStride}));
}

TEST(ModelBudget, NothingGoesForWhatWouldNotFitOrIsInUse) {
  Bench bench(platform(), Policy::budget(Bytes(128)));
  bench.allocate(0, 64);
  bench.allocate(1, 129);
  bench.allocate(2, 128);
  ASSERT_TRUE(reads(bench, 0, {0}));
  ASSERT_TRUE(reads(bench, 1, {1}));
  EXPECT_EQ(accesses_of(bench, 1).device_copies, 1u);
  bench.claim(1, 2, 0, 8);
  EXPECT_EQ(bench.read(1, 2), Answer::kOk);
  EXPECT_EQ(accesses_of(bench, 1).device_copies, 2u) << "run 0 uses the view that would have to go";
  EXPECT_EQ(bench.model.snapshot().totals.dropped, 0u);
  EXPECT_EQ(bench.model.snapshot().failures.total(), 0u);
  bench.close(0);
  EXPECT_EQ(bench.map(1, 2), Answer::kOk) << "no register failed in this run";
  EXPECT_EQ(mapped_bases(bench), (std::vector<std::uint64_t>{kFirstAddress + 2 * kStride}));
}

TEST(ModelBudget, AFailedEvictionKeepsItsShareAndTheNextOldestGoes) {
  Bench bench(platform(), Policy::budget(Bytes(192)));
  for (std::uint8_t slot = 0; slot < 4; ++slot) bench.allocate(slot, 64);
  ASSERT_TRUE(reads(bench, 0, {0, 1, 2}));
  bench.end(0);
  bench.fail(CallKind::kUnregister);
  ASSERT_TRUE(reads(bench, 0, {3}));
  EXPECT_EQ(mapped_bases(bench),
            (std::vector<std::uint64_t>{kFirstAddress, kFirstAddress + 2 * kStride, kFirstAddress + 3 * kStride}));
  const Snapshot snapshot = bench.model.snapshot();
  EXPECT_EQ(snapshot.held.bytes, Bytes(192));
  EXPECT_EQ(snapshot.quarantined.size(), 1u);
  EXPECT_EQ(snapshot.failures.unregister, 1u);
}

TEST(ModelView, FailedRegisterIsAskedAgainInTheNextRunOnly) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.fail(CallKind::kRegister);
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView);
  EXPECT_EQ(bench.run_now(0), 7u + 1000u);
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView);
  EXPECT_EQ(bench.run_now(0), 7u + 1000u) << "no second call in this run";
  EXPECT_EQ(bench.model.snapshot().totals.refused, 1u);
  EXPECT_EQ(bench.model.snapshot().failures.register_to_host, 1u);
  bench.open(1);
  EXPECT_EQ(bench.map(1, 0), Answer::kOk);
  EXPECT_EQ(bench.map(0, 0), Answer::kOk) << "mapped by the other run";
}

TEST(ModelView, RefusalHoldsForTheLifeOfTheBlock) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.fail(CallKind::kRegister, DriverCode::kNotSupport);
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView);
  bench.open(1);
  EXPECT_EQ(bench.map(1, 0), Answer::kNoView);
  EXPECT_EQ(bench.model.snapshot().totals.refused, 1u);
  bench.free(0);
  const Operation reused{.kind = OperationKind::kAllocate, .run = kRunner, .size = 64};
  bench.answers(reused, at(kFirstAddress));
  EXPECT_EQ(bench.map(0, 0), Answer::kOk) << "another block at this address, in the run that was refused";
}

TEST(ModelView, FailedUnregisterQuarantinesUntilAFreeSucceeds) {
  Bench bench;
  bench.allocate(0, 64);
  ASSERT_TRUE(reads(bench, 0, {0}));
  bench.end(0);
  bench.fail(CallKind::kUnregister, DriverCode::kNotExist);
  const Operation free{.kind = OperationKind::kFree, .run = kRunner};
  EXPECT_EQ(bench.does(free), (Outcome{Answer::kUnregisterFailed, 11, {}}));
  Snapshot snapshot = bench.model.snapshot();
  EXPECT_EQ(snapshot.quarantined.size(), 1u);
  EXPECT_EQ(snapshot.held.count, 1u);
  EXPECT_EQ(snapshot.totals.dropped, 0u);
  EXPECT_EQ(snapshot.totals.unmap_time, Picoseconds(500));
  ASSERT_TRUE(reads(bench, 0, {0}));
  EXPECT_EQ(accesses_of(bench, 0).device_copies, 1u) << "nobody may use the view";
  EXPECT_EQ(bench.free(0), Answer::kOk) << "a run that copies does not use the view";
  snapshot = bench.model.snapshot();
  EXPECT_TRUE(snapshot.quarantined.empty());
  EXPECT_EQ(snapshot.totals.dropped, 1u);
}

TEST(ModelView, ByHandNeedsABaseAndPairsWithOneUnregister) {
  Bench bench(platform(), Policy::kRebuild);
  bench.allocate(0, 64);
  bench.open(0);
  EXPECT_EQ(bench.map(0, 0, 8, 8), Answer::kNoView) << "not a base";
  EXPECT_EQ(bench.map(0, 0, 65), Answer::kNoView);
  EXPECT_EQ(bench.map(0, 0, 0), Answer::kNoView);
  EXPECT_EQ(bench.map(0, 0, 64), Answer::kOk);
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView) << "once per run";
  bench.claim(0, 0, 0, 8);
  EXPECT_EQ(bench.read(0, 0), Answer::kOk);
  EXPECT_EQ(bench.unmap(0, 0), Answer::kOk);
  EXPECT_EQ(bench.mapped(), 1u) << "its region still has the view";
  EXPECT_EQ(bench.unmap(0, 0), Answer::kRefused);
  bench.close(0);
  EXPECT_EQ(bench.mapped(), 0u);
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView) << "closed";
}

TEST(ModelView, UnregisterByHandDropsUnderRebuildAndReportsTheCode) {
  Bench bench(platform(), Policy::kRebuild);
  bench.allocate(0, 64);
  bench.open(0);
  bench.map(0, 0);
  bench.fail(CallKind::kUnregister);
  EXPECT_EQ(bench.does({.kind = OperationKind::kUnregister}), (Outcome{Answer::kDriver, 17, {}}));
  EXPECT_EQ(bench.model.snapshot().quarantined.size(), 1u);
  Bench cached;
  cached.allocate(0, 64);
  cached.open(0);
  cached.map(0, 0);
  EXPECT_EQ(cached.unmap(0, 0), Answer::kOk);
  EXPECT_EQ(cached.mapped(), 1u);
}

TEST(ModelRace, BothHoldOneMappingAndTheAnswersAreCompared) {
  Bench bench;
  bench.allocate(0, 64);
  const Operation race{.kind = OperationKind::kRace, .run = 0, .other = 1, .size = 8};
  bench.open(0);
  EXPECT_EQ(bench.answers(race), Answer::kSkipped) << "the other is not open";
  bench.open(1);
  EXPECT_EQ(bench.does(race), (Outcome{Answer::kOk, 0, {}}));
  EXPECT_EQ(bench.model.snapshot().totals.established, 1u);
  bench.close(0);
  EXPECT_EQ(bench.free(0), Answer::kInUse) << "the other still holds it";
  EXPECT_EQ(bench.answers(race), Answer::kSkipped) << "views closed";
  const Operation itself{.kind = OperationKind::kRace, .run = 1, .other = 1, .size = 8};
  EXPECT_EQ(bench.answers(itself), Answer::kSkipped);
}

TEST(ModelRace, AFailureOfTheFirstIsNotTheSeconds) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  bench.open(1);
  bench.fail(CallKind::kRegister);
  const Operation race{.kind = OperationKind::kRace, .run = 1, .other = 0, .size = 8};
  EXPECT_EQ(bench.does(race), (Outcome{Answer::kNoView, 1, {}}));
  const Operation beyond{.kind = OperationKind::kRace, .run = 0, .other = 1, .offset = 60, .size = 8};
  EXPECT_EQ(bench.does(beyond), (Outcome{Answer::kBadSpan, 0, {}}));
}

}  // namespace
}  // namespace svmsim
