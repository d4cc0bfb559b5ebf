// SPDX-License-Identifier: Apache-2.0
// What differs between platforms, and other users of the device.
#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "property_tests/model_bench.h"

namespace svmsim {
namespace {

using namespace bench;
using svmrt::Bytes;

constexpr std::uint64_t kLargestOrdinary = kMib - 32;

TEST(ModelPlatform, PageKindChangesAbove1MiBMinus32) {
  Bench bench;
  bench.allocate(0, kLargestOrdinary);
  bench.allocate(1, kLargestOrdinary + 1);
  bench.open(0);
  bench.map(0, 0);
  EXPECT_EQ(bench.run_now(0), 14u + 1000 + 256 * 10 + 256) << "256 pages of 4 KiB";
  bench.map(0, 1);
  EXPECT_EQ(bench.run_now(0), 14u + 1000 + 256 * 10 + 256 + 1000 + 10 + 512) << "one page of 2 MiB, 512 of the host";
  const Snapshot snapshot = bench.model.snapshot();
  EXPECT_EQ(snapshot.mapped.at(0).size, Bytes(kMib));
  EXPECT_EQ(snapshot.mapped.at(1).size, Bytes(2 * kMib));
  EXPECT_EQ(snapshot.held.bytes, Bytes(2 * kLargestOrdinary + 1));
}

TEST(ModelPlatform, A64KiBHostOnV2RefusesOrdinaryPagesOnly) {
  Bench bench(platform(Personality::kV2, 65536));
  bench.allocate(0, kLargestOrdinary);
  bench.allocate(1, kLargestOrdinary + 1);
  bench.open(0);
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView);
  EXPECT_EQ(bench.run_now(0), 14u + 1000);
  EXPECT_EQ(bench.map(0, 1), Answer::kOk);
  EXPECT_EQ(bench.run_now(0), 14u + 1000 + 1000 + 10 + 32);
  bench.open(1);
  EXPECT_EQ(bench.map(1, 0), Answer::kNoView);
  EXPECT_EQ(bench.model.snapshot().totals.refused, 1u) << "refused for good";
}

TEST(ModelPlatform, AVirtualMachineRefusesOnV2AndNotOnV3) {
  ScenarioPlatform v2 = platform();
  v2.platform.host = HostKind::kVmWithoutWc;
  ScenarioPlatform lenient = v2;
  lenient.platform.lenient = true;
  ScenarioPlatform v3 = platform(Personality::kV3);
  v3.platform.host = HostKind::kVmWithoutWc;
  for (const auto& [on, answer] :
       {std::pair{v2, Answer::kNoView}, std::pair{lenient, Answer::kNoView}, std::pair{v3, Answer::kOk}}) {
    Bench bench(on);
    bench.allocate(0, 2 * kMib);
    bench.open(0);
    EXPECT_EQ(bench.map(0, 0), answer);
  }
}

TEST(ModelPlatform, WithoutAHostMapPathNoCallIsMade) {
  ScenarioPlatform on = platform(Personality::kV3);
  on.platform.host_map_path = false;
  Bench bench(on);
  bench.allocate(0, 64);
  bench.open(0);
  bench.claim(0, 0, 0, 8);
  EXPECT_EQ(bench.read(0, 0), Answer::kOk);
  EXPECT_EQ(bench.model.snapshot().runs.at(0)->accesses.device_copies, 1u);
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView);
  EXPECT_EQ(bench.model.snapshot().failures.total(), 0u);
}

constexpr Operation kMaps{.kind = OperationKind::kStrangerMaps};
constexpr Operation kUnmaps{.kind = OperationKind::kStrangerUnmaps};

TEST(ModelStranger, MappingOnV2FailsRegistersWith8AndNotTheFree) {
  Bench bench;
  bench.allocate(0, 64);
  bench.open(0);
  EXPECT_EQ(bench.answers(kUnmaps), Answer::kSkipped);
  EXPECT_EQ(bench.answers(kMaps, stranger(true, 100)), Answer::kOk);
  EXPECT_EQ(bench.runner_now(), 107u);
  EXPECT_EQ(bench.answers(kMaps), Answer::kSkipped);
  EXPECT_EQ(bench.mapped(), 0u) << "a stranger's does not count";
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView);
  EXPECT_EQ(bench.run_now(0), 107u + 1000u) << "the driver was busy with the stranger";
  bench.open(1);
  EXPECT_EQ(bench.map(1, 0), Answer::kNoView);
  EXPECT_EQ(bench.model.snapshot().totals.refused, 2u) << "not for good";
  EXPECT_EQ(bench.answers(kUnmaps, stranger(false)), Answer::kOk);
  bench.open(2);
  EXPECT_EQ(bench.map(2, 0), Answer::kOk);
  EXPECT_EQ(bench.answers(kMaps), Answer::kSkipped) << "the runner's own mapping is there";
}

TEST(ModelStranger, FreeOfAMappedBlockIsTheDriversAffair) {
  ScenarioPlatform lifo = platform();
  lifo.platform.reuse = AddressReuse::kLifo;
  for (const auto& [on, answer, code] : {std::tuple{platform(), Answer::kOk, 0}, std::tuple{lifo, Answer::kDriver, 13},
                                         std::tuple{platform(Personality::kV3), Answer::kDriver, 13}}) {
    Bench bench(on);
    bench.allocate(0, 64);
    bench.answers(kMaps, stranger(true));
    EXPECT_EQ(bench.does({.kind = OperationKind::kFree, .run = kRunner}), (Outcome{answer, code, {}}));
  }
}

TEST(ModelStranger, BlockThatArrivesMappedCannotBeMappedNorUnmappedByTheStranger) {
  Bench bench;
  const Operation allocate{.kind = OperationKind::kAllocate, .run = kRunner, .size = 64};
  bench.answers(allocate, arrived_mapped());
  bench.open(0);
  EXPECT_EQ(bench.map(0, 0), Answer::kNoView);
  EXPECT_EQ(bench.answers(kMaps), Answer::kSkipped);
  EXPECT_EQ(bench.answers(kUnmaps), Answer::kSkipped) << "nobody knows where that mapping begins";
  EXPECT_EQ(bench.free(0), Answer::kOk);
}

TEST(ModelStranger, LeaksAndMapsAreSkippedWhereTheRulesSay) {
  const auto leaks = [](const ScenarioPlatform& on, std::uint64_t size) {
    Bench bench(on);
    return bench.answers({.kind = OperationKind::kStrangerLeaks, .size = size});
  };
  EXPECT_EQ(leaks(platform(), 0), Answer::kSkipped);
  EXPECT_EQ(leaks(platform(), 1), Answer::kOk);
  EXPECT_EQ(leaks(platform(), 2 * kMib), Answer::kOk);
  EXPECT_EQ(leaks(platform(), 2 * kMib + 1), Answer::kSkipped);
  EXPECT_EQ(leaks(platform(Personality::kV2, 65536), kLargestOrdinary), Answer::kSkipped);
  EXPECT_EQ(leaks(platform(Personality::kV2, 65536), kLargestOrdinary + 1), Answer::kOk);
  ScenarioPlatform on = platform();
  on.platform.lenient = true;
  EXPECT_EQ(leaks(on, 64), Answer::kSkipped);
  on = platform();
  on.platform.host = HostKind::kVmWithoutWc;
  EXPECT_EQ(leaks(on, 2 * kMib), Answer::kSkipped);
  on = platform(Personality::kV3);
  on.platform.host_map_path = false;
  EXPECT_EQ(leaks(on, 64), Answer::kSkipped);
  Bench bench;
  bench.allocate(0, 2 * kMib);
  bench.allocate(1, 2 * kMib + 1);
  EXPECT_EQ(bench.answers({.kind = OperationKind::kStrangerMaps, .slot = 1}), Answer::kSkipped);
  bench.fail(CallKind::kCopyToDevice);
  EXPECT_EQ(bench.answers(kMaps), Answer::kSkipped) << "a call is to fail";
  EXPECT_EQ(bench.answers({.kind = OperationKind::kStrangerLeaks, .size = 64}), Answer::kSkipped);
}

}  // namespace
}  // namespace svmsim
