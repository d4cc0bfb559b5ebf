// SPDX-License-Identifier: Apache-2.0
#include "property_tests/case_setting.h"

#include <algorithm>

namespace svmsim {

namespace {

using Kind = OperationKind;

constexpr std::uint64_t kKiB = 1024;

// How often each kind is drawn, in the order of the enum.
constexpr std::array<std::uint32_t, kOperationKinds> kWeights = {
    /* allocate */ 120,     /* free */ 80,
    /* open_run */ 70,      /* claim */ 140,
    /* read */ 320,         /* write */ 180,
    /* close_views */ 40,   /* end_run */ 50,
    /* register */ 25,      /* unregister */ 25,
    /* upload */ 20,        /* download */ 20,
    /* set_memory */ 15,    /* device_write */ 40,
    /* fail_next */ 60,     /* stranger_leaks */ 15,
    /* stranger_maps */ 15, /* stranger_unmaps */ 15,
    /* finalize */ 12,      /* restart */ 6,
    /* lose_device */ 8,    /* fork */ 40,
    /* race */ 60,
};

// Leaves kinds out, so that what remains comes in long rows; the rare and slow kinds are in few cases.
void draw_alphabet(CaseSetting& setting, Dice& dice) {
  setting.weights = kWeights;
  const auto leave_out = [&](Kind kind, bool out) {
    if (out) setting.weights[static_cast<std::size_t>(kind)] = 0;
  };
  for (std::size_t i = 0; i < kOperationKinds; ++i) leave_out(static_cast<Kind>(i), dice.one_in(4));
  for (const Kind kind : {Kind::kAllocate, Kind::kOpenRun, Kind::kClaim, Kind::kRead}) {
    setting.weights[static_cast<std::size_t>(kind)] = kWeights[static_cast<std::size_t>(kind)];
  }
  for (const Kind kind : {Kind::kFinalize, Kind::kRestart, Kind::kLoseDevice, Kind::kStrangerLeaks}) {
    leave_out(kind, !dice.one_in(3));
  }
  leave_out(Kind::kRace, !dice.one_in(10));
  leave_out(Kind::kFork, !dice.one_in(100));
  // A stranger's mapping is seldom dropped again without having been made.
  leave_out(Kind::kStrangerUnmaps, setting.weights[static_cast<std::size_t>(Kind::kStrangerMaps)] == 0);
}

svmrt::Policy draw_policy(const CaseSetting& setting, Dice& dice) {
  constexpr std::array<std::uint32_t, 5> kPolicyWeights = {36, 14, 10, 8, 32};
  const std::size_t choice = dice.weighted(kPolicyWeights);
  if (choice < svmrt::fixed_policies().size()) return svmrt::fixed_policies()[choice];
  // Room for one to three blocks of the palette, now and then a byte more or less.
  std::uint64_t limit = dice.pick(setting.palette);
  for (std::uint64_t more = dice.below(3); more > 0; --more) limit += dice.pick(setting.palette);
  if (dice.one_in(4)) limit += dice.below(3) - 1;
  return svmrt::Policy::budget(svmrt::Bytes(std::max<std::uint64_t>(limit, 1)));
}

}  // namespace

const std::array<std::uint64_t, 18> kSizes = {1,
                                              64,
                                              4095,
                                              4096,
                                              4097,
                                              64 * kKiB,
                                              64 * kKiB + 1,
                                              kLargestOrdinary - 1,
                                              kLargestOrdinary,
                                              kLargestOrdinary + 1,
                                              kMiB,
                                              2 * kMiB,
                                              2 * kMiB + 1,
                                              3 * kMiB,
                                              3 * kMiB,
                                              4096,
                                              2 * kMiB,
                                              20 * kMiB};

CaseSetting draw_setting(const ScenarioPlatforms& platforms, const DrawOptions& options, Dice& dice,
                         Scenario& scenario) {
  CaseSetting setting;
  for (std::uint64_t& size : setting.palette) size = dice.pick(kSizes);
  // Blocks of one size: what a budget has room for is then a matter of their number alone.
  if (dice.one_in(3)) setting.palette.fill(setting.palette[0]);
  const std::string drawn = platforms[dice.below(platforms.size())].platform.name;
  // Half of all cases where everything can be mapped: there the cache has most to do.
  scenario.platform = options.platform.value_or(dice.percent(50) ? "a2a3" : drawn);
  const svmrt::Policy policy = draw_policy(setting, dice);
  scenario.policy = options.policy.value_or(policy);
  constexpr std::array kReuse = {AddressReuse::kDriver, AddressReuse::kDriver, AddressReuse::kLifo,
                                 AddressReuse::kQuarantine};
  scenario.reuse = dice.pick(kReuse);
  scenario.backing = dice.one_in(20) ? BackingKind::kMmu : BackingKind::kPlain;
  draw_alphabet(setting, dice);
  return setting;
}

}  // namespace svmsim
