// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/cost_model.h"
#include "sim/cost/testing/byte_units.h"
#include "sim/driver/page_walk.h"

#include <gtest/gtest.h>

#include <limits>

namespace svmsim {
namespace {

constexpr std::uint64_t kTib = kMib * kMib;

// Powers of ten apart, so that a sum shows each part.
constexpr CostParameters kDistinct{
    .register_to_host = {Picoseconds(1'000'000), Picoseconds(1'000), Picoseconds(1)},
    .unregister_from_host = {Picoseconds(2'000'000), Picoseconds(2'000), Picoseconds(2)},
    .copy_from_device = {Picoseconds(7), Picoseconds(1024)},
    .copy_to_device = {Picoseconds(8), Picoseconds(2048)},
    .set_memory = {Picoseconds(9), Picoseconds(4096)},
    .allocate = Picoseconds(11),
    .free = Picoseconds(12),
    .view_load = Picoseconds(100),
    .view_store = Picoseconds(1),
    .launch = Picoseconds(13),
};

TEST(CostModel, MapCostIsCallPlusBlockPagesPlusHostPages) {
  const CostModel model(kDistinct);
  EXPECT_EQ(model.register_cost({3, 5}), Picoseconds(1'003'005));
  EXPECT_EQ(model.unregister_cost({3, 5}), Picoseconds(2'006'010));
}

TEST(CostModel, FailedCallCostsItsCallTermOnly) {
  const CostModel model(kDistinct);
  EXPECT_EQ(model.failed_register_cost(), Picoseconds(1'000'000));
  EXPECT_EQ(model.failed_unregister_cost(), Picoseconds(2'000'000));
  EXPECT_EQ(model.failed_copy_cost(CopyDirection::kFromDevice), Picoseconds(7));
  EXPECT_EQ(model.failed_copy_cost(CopyDirection::kToDevice), Picoseconds(8));
  EXPECT_EQ(model.failed_set_memory_cost(), Picoseconds(9));
}

TEST(CostModel, CopyIsLatencyPlusBytesRoundedToTheNearestPicosecond) {
  const CostModel model(kDistinct);
  // 1024 ps per MiB: one per KiB, so 512 bytes are half a picosecond.
  EXPECT_EQ(model.copy_cost(CopyDirection::kFromDevice, Bytes(511)), Picoseconds(7));
  EXPECT_EQ(model.copy_cost(CopyDirection::kFromDevice, Bytes(512)), Picoseconds(8));
  EXPECT_EQ(model.copy_cost(CopyDirection::kFromDevice, Bytes(kMib)), Picoseconds(7 + 1024));
  EXPECT_EQ(model.copy_cost(CopyDirection::kToDevice, Bytes(kMib)), Picoseconds(8 + 2048));
  EXPECT_EQ(model.set_memory_cost(Bytes(kMib)), Picoseconds(9 + 4096));
}

TEST(CostModel, FixedCostsAndViewAccesses) {
  const CostModel model(kDistinct);
  EXPECT_EQ(model.allocate_cost(), Picoseconds(11));
  EXPECT_EQ(model.free_cost(), Picoseconds(12));
  EXPECT_EQ(model.launch_cost(), Picoseconds(13));
  EXPECT_EQ(model.view_access_cost(3, 4), Picoseconds(304));
}

TEST(CostModel, DefaultModelIsFree) {
  const CostModel model;
  EXPECT_EQ(model.register_cost({1, 512}), Picoseconds(0));
  EXPECT_EQ(model.copy_cost(CopyDirection::kToDevice, Bytes(kTib)), Picoseconds(0));
}

TEST(CostModel, SixtyFourTebibytesAreExact) {
  CostParameters parameters;
  // 2^34 host pages and 2^25 huge pages; 2^26 MiB.
  parameters.register_to_host = {Picoseconds(1), Picoseconds(150'000), Picoseconds(25'000)};
  parameters.copy_to_device = {Picoseconds(1), Picoseconds(35'000'001)};
  const CostModel model(parameters);
  const PageWalk walk = page_walk(Bytes(64 * kTib), PageKind::kHuge, Bytes(4096), Bytes(4096));
  EXPECT_EQ(walk.allocation_pages, std::uint64_t{1} << 25);
  EXPECT_EQ(walk.host_pages, std::uint64_t{1} << 34);
  EXPECT_EQ(model.register_cost(walk), Picoseconds(1 + (150'000ULL << 25) + (25'000ULL << 34)));
  EXPECT_EQ(model.copy_cost(CopyDirection::kToDevice, Bytes(64 * kTib)), Picoseconds(1 + (35'000'001ULL << 26)));
}

TEST(CostModel, OverflowSaturatesInsteadOfWrapping) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  CostParameters parameters;
  parameters.register_to_host = {Picoseconds(kMax), Picoseconds(kMax), Picoseconds(kMax)};
  parameters.copy_to_device = {Picoseconds(kMax), Picoseconds(kMax)};
  parameters.view_load = Picoseconds(kMax);
  parameters.view_store = Picoseconds(kMax);
  const CostModel model(parameters);
  EXPECT_EQ(model.register_cost({0, 0}), Picoseconds(kMax));
  EXPECT_EQ(model.register_cost({1, 0}), Picoseconds(kMax));
  EXPECT_EQ(model.register_cost({kMax, 0}), Picoseconds(kMax));
  EXPECT_EQ(model.copy_cost(CopyDirection::kToDevice, Bytes(kMax)), Picoseconds(kMax));
  EXPECT_EQ(model.view_access_cost(kMax, 0), Picoseconds(kMax));
}

}  // namespace
}  // namespace svmsim
